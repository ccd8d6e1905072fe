! A rank that comes late, 2 of them, through `use mpi`; see `times.py`.
program late_fortran
  use mpi
  implicit none
  integer :: ierror, rank, value, total, request
  integer :: status(MPI_STATUS_SIZE)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  value = rank
  if (rank == 1) then
    call late()
    call MPI_Send(value, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, ierror)
    call late()
    call MPI_Send(value, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, ierror)
    call late()
    call MPI_Send(value, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, ierror)
    call late()
  else
    call MPI_Recv(value, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, status, ierror)
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  end if
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (total /= 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
  call MPI_Finalize(ierror)
  if (rank == 0) print '(a)', 'done'

contains

  subroutine late()
    interface
      function usleep(microseconds) bind(c, name='usleep')
        use iso_c_binding, only: c_int
        integer(c_int), value :: microseconds
        integer(c_int) :: usleep
      end function
    end interface
    integer :: ignored
    ignored = usleep(300000)
  end subroutine
end program
