! Attributes of the world in Fortran: set, got, copied to a duplicate, deleted. Libraries keep them in tables of their own.
program fattributes
  use mpi
  implicit none
  integer :: error, key, rank, duplicate
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  logical :: flag
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  extra = 0
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, error)
  value = 42 + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, error)
  value = 0
  call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, error)
  if (rank == 0) print *, 'world', flag, value
  call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, error)
  value = 0
  call MPI_Comm_get_attr(duplicate, key, value, flag, error)
  if (rank == 0) print *, 'duplicate', flag, value
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, error)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, error)
  if (rank == 0) print *, 'after', flag
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
  if (rank == 0) print *, 'tags', flag, value > 0
  call MPI_Finalize(error)
end program
