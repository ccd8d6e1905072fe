! The interface of Fortran 2008 (`mpi_f08`): what MPI_COMM_WORLD means. Prints "ok NAME" or "NOT NAME".
program f08
  use mpi_f08
  implicit none
  integer, volatile :: got
  integer :: rank, ranks, next, before, found, own, total
  type(MPI_Status) :: status
  type(MPI_Comm) :: comm
  type(MPI_Win) :: w
  type(MPI_Request) :: q(2)
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: is_set
  character(len=MPI_MAX_OBJECT_NAME) :: name
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank+1, ranks); before = mod(rank+ranks-1, ranks)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, status)
  call check('sendrecv', got==before .and. status%MPI_SOURCE==before)
  call MPI_Isend(rank, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, q(1))
  call MPI_Irecv(got, 1, MPI_INTEGER, before, 2, MPI_COMM_WORLD, q(2))
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
  call check('isend', got==before)
  got = rank
  call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check('allreduce in place', got==ranks*(ranks-1)/2)
  call MPI_Scan(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check('scan', total==rank*(rank+1)/2)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm)
  call MPI_Comm_rank(comm, own)
  call check('split', own==ranks-1-rank)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, is_set)
  call check('tag_ub', is_set)
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, found)
  call check('name', name(1:found)=='MPI_COMM_WORLD')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., comm)
  call MPI_Cart_shift(comm, 0, 1, before, found)
  call check('cart', found==next)
  call MPI_Win_create(got, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w)
  call MPI_Win_fence(0, w)
  call MPI_Put(rank, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, w)
  call MPI_Win_fence(0, w)
  call check('window', got==mod(rank+ranks-1, ranks))
  call MPI_Win_free(w)
  call MPI_Finalize()
contains
  subroutine check(what, good)
    character(*) :: what
    logical :: good
    integer :: g, a
    g = merge(1, 0, good)
    call MPI_Allreduce(g, a, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    if (rank==0) print '(a, 1x, a)', trim(merge('ok ', 'NOT', a==1)), what
  end subroutine
end program
