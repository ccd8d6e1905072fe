! A bit of everything through `use mpi_f08`, 4 ranks; see `fortran_f08` in expected.py.
program fortran_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, previous, i, index, count, member, numbers(16), received(16), slots(4, 3), sources(1), targets(1)
  integer, target :: memory(16)
  type(MPI_Request) :: requests(6), request
  type(MPI_Status) :: status, statuses(6)
  type(MPI_Comm) :: half, ring
  type(MPI_Datatype) :: vector
  type(MPI_Win) :: window
  logical :: flag
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call check(ranks == 4)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  numbers = rank

  ! From even ranks to the next 40 bytes.
  if (mod(rank, 2) == 0) then
    call MPI_Send(numbers, 10, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
  else
    call MPI_Recv(received, 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(status%MPI_SOURCE == previous .and. status%MPI_TAG == 1 .and. count == 10)
  end if
  ! To the next: 24 bytes, then 4 rounds of 4 + 8 + 12.
  call MPI_Sendrecv(numbers, 6, MPI_INTEGER, next, 2, received, 6, MPI_INTEGER, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call check(received(6) == previous)
  call post()
  call MPI_Waitall(6, requests, statuses)
  call check(statuses(3)%MPI_TAG == 3)
  call post()
  call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE)
  call post()
  do i = 1, 6
    ! The index is not checked, since MPICH 4.0 counts from 0 here.
    call MPI_Waitany(6, requests, index, status)
  end do
  call post()
  do i = 1, 6
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(i), flag, status)
    end do
  end do

  ! Persistent, three times 16 bytes to the next.
  call MPI_Send_init(numbers, 4, MPI_INTEGER, next, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Recv_init(received, 4, MPI_INTEGER, previous, 5, MPI_COMM_WORLD, requests(2))
  do i = 1, 3
    call MPI_Start(requests(2))
    call MPI_Start(requests(1))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))

  ! A type of 2 x 2 integers, 16 bytes, to the next; its handle is freed and made again for 2 x 3, 24 bytes.
  do i = 2, 3
    call MPI_Type_vector(2, i, 4, MPI_INTEGER, vector)
    call MPI_Type_commit(vector)
    call MPI_Sendrecv(numbers, 1, vector, next, 6, received, 1, vector, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Type_free(vector)
  end do

  ! {2 0} and {3 1}: member 0 -> 1 with 36 bytes; Bcast of 12 from member 1; Allreduce of 8 in place.
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half)
  call MPI_Comm_rank(half, member)
  if (member == 0) call MPI_Send(numbers, 9, MPI_INTEGER, 1, 9, half)
  if (member == 1) call MPI_Recv(received, 9, MPI_INTEGER, 0, 9, half, MPI_STATUS_IGNORE)
  call MPI_Bcast(received, 3, MPI_INTEGER, 1, half)
  numbers(1:2) = 1
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_INTEGER, MPI_SUM, half)
  call check(numbers(1) == 2)
  call MPI_Comm_free(half)
  call MPI_Ibarrier(MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)

  ! A ring of 4: 20 bytes to both sides. A graph: 28 bytes to the next.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ 4 /), (/ .true. /), .false., ring)
  call MPI_Neighbor_allgather(numbers, 5, MPI_INTEGER, received, 5, MPI_INTEGER, ring)
  call MPI_Comm_free(ring)
  sources(1) = previous
  targets(1) = next
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring)
  call MPI_Neighbor_alltoall(numbers, 7, MPI_INTEGER, received, 7, MPI_INTEGER, ring)
  call MPI_Comm_free(ring)

  ! Put 12 bytes into the next, get 8 from it.
  bytes = 64
  place = 0
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  call MPI_Put(numbers, 3, MPI_INTEGER, next, place, 3, MPI_INTEGER, window)
  place = 8
  call MPI_Get(received, 2, MPI_INTEGER, next, place, 2, MPI_INTEGER, window)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'done'

contains

  subroutine post()
    integer :: k
    do k = 1, 3
      call MPI_Irecv(slots(1, k), k, MPI_INTEGER, previous, k, MPI_COMM_WORLD, requests(k))
      call MPI_Isend(numbers, k, MPI_INTEGER, next, k, MPI_COMM_WORLD, requests(3 + k))
    end do
  end subroutine

  subroutine check(condition)
    logical, intent(in) :: condition
    if (.not. condition) then
      print '(a,i0)', 'a check failed on rank ', rank
      call MPI_Abort(MPI_COMM_WORLD, 3)
    end if
  end subroutine
end program
