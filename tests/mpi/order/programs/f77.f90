! The interface of `mpif.h`: what MPI_COMM_WORLD means. Prints "ok NAME" or "NOT NAME".
program f77
  implicit none
  include 'mpif.h'
  integer, volatile :: got
  integer :: error, rank, ranks, next, before, status(MPI_STATUS_SIZE), comm, found, own, total
  integer(kind=MPI_ADDRESS_KIND) :: value
  logical :: is_set
  character(len=MPI_MAX_OBJECT_NAME) :: name
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  next = mod(rank+1, ranks); before = mod(rank+ranks-1, ranks)
  call MPI_SENDRECV(rank, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, status, error)
  call check('sendrecv', got==before .and. status(MPI_SOURCE)==before)
  got = rank
  call MPI_ALLREDUCE(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('allreduce in place', got==ranks*(ranks-1)/2)
  call MPI_SCAN(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('scan', total==rank*(rank+1)/2)
  call MPI_COMM_SPLIT(MPI_COMM_WORLD, 0, -rank, comm, error)
  call MPI_COMM_RANK(comm, own, error)
  call check('split', own==ranks-1-rank)
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, value, is_set, error)
  call check('tag_ub', is_set)
  call MPI_COMM_GET_NAME(MPI_COMM_WORLD, name, found, error)
  call check('name', name(1:found)=='MPI_COMM_WORLD')
  call MPI_CART_CREATE(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., comm, error)
  call MPI_CART_SHIFT(comm, 0, 1, before, found, error)
  call check('cart', found==next)
  call MPI_FINALIZE(error)
contains
  subroutine check(what, good)
    character(*) :: what
    logical :: good
    integer :: g, a
    g = merge(1, 0, good)
    call MPI_ALLREDUCE(g, a, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank==0) print '(a, 1x, a)', trim(merge('ok ', 'NOT', a==1)), what
  end subroutine
end program
