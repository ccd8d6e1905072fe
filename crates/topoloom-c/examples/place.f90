! The same in Fortran: gfortran topoloom.f90 place.f90 $(pkg-config --libs topoloom) && ./a.out
program place
  use topoloom
  implicit none
  integer, parameter :: ranks = 16
  integer(c_int64_t) :: first(ranks + 1), bytes(ranks)
  integer(c_int32_t) :: target(ranks), slot(ranks)
  type(c_ptr) :: machine, traffic
  real(c_double) :: cost
  integer :: rank

  do rank = 1, ranks
    first(rank) = rank - 1
    target(rank) = mod(rank, ranks)
  end do
  first(ranks + 1) = ranks
  bytes = 1000
  call check(topoloom_machine_parse("mesh:4x4", machine))
  call check(topoloom_traffic_csr(ranks, first, target, bytes, c_null_ptr, traffic))
  call check(topoloom_map(traffic, machine, c_null_ptr, slot, cost))
  print '(a,i0)', "placed ", int(cost)
  do rank = 1, ranks
    print '(a,i0,a,i0)', "rank ", rank - 1, ": slot ", slot(rank)
  end do
  call topoloom_traffic_free(traffic)
  call topoloom_machine_free(machine)

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= TOPOLOOM_OK) then
      print '(a)', topoloom_message()
      stop 1
    end if
  end subroutine
end program
