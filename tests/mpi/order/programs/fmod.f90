! The interface of `use mpi`: what MPI_COMM_WORLD means. Prints "ok NAME" or "NOT NAME".
program fmod
  use mpi
  implicit none
  include 'interface.inc'
