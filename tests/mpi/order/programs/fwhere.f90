! A line a rank: rank, and the rank that the launcher gave. In Fortran 2008's interface.
program fwhere
  use mpi_f08
  implicit none
  integer :: rank
  character(len=20) :: given
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_environment_variable('OMPI_COMM_WORLD_RANK', given)
  if (given == '') call get_environment_variable('PMI_RANK', given)
  print '(a,i0,a,a)', 'rank ', rank, ' launched ', trim(given)
  call MPI_Finalize()
end program
