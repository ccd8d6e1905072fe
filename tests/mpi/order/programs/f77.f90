! The interface of `mpif.h`: what MPI_COMM_WORLD means. Prints "ok NAME" or "NOT NAME".
program f77
  implicit none
  include 'mpif.h'
  include 'interface.inc'
