! Topoloom for Fortran: the functions of topoloom.h. Compile this file with your program. See docs/c.md.
module topoloom
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: TOPOLOOM_OK = 0, TOPOLOOM_INVALID = 1, TOPOLOOM_REFUSED = 2, TOPOLOOM_INTERNAL = 3

  type, bind(c) :: topoloom_options
    integer(c_size_t) :: size
    integer(c_int64_t) :: seed
    real(c_double) :: seconds
    integer(c_int32_t) :: threads
    type(c_ptr) :: strategy, objective, effort
  end type

  interface
    function topoloom_version() bind(c) result(version)
      import :: c_int32_t
      integer(c_int32_t) :: version
    end function

    function topoloom_message_c() bind(c, name="topoloom_message") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function topoloom_machine_parse_c(specification, machine) bind(c, name="topoloom_machine_parse") result(status)
      import :: c_char, c_ptr, c_int
      character(kind=c_char), intent(in) :: specification(*)
      type(c_ptr), intent(out) :: machine
      integer(c_int) :: status
    end function

    function topoloom_machine_hosts(hosts, slots_of_host, machine) bind(c) result(status)
      import :: c_int32_t, c_ptr, c_int
      integer(c_int32_t), value :: hosts
      integer(c_int32_t), intent(in) :: slots_of_host(*)
      type(c_ptr), intent(out) :: machine
      integer(c_int) :: status
    end function

    subroutine topoloom_machine_free(machine) bind(c)
      import :: c_ptr
      type(c_ptr), value :: machine
    end subroutine

    function topoloom_machine_slots(machine) bind(c) result(slots)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: machine
      integer(c_int32_t) :: slots
    end function

    function topoloom_traffic_csr(ranks, first, target, bytes, messages, traffic) bind(c) result(status)
      import :: c_int32_t, c_int64_t, c_ptr, c_int
      integer(c_int32_t), value :: ranks
      integer(c_int64_t), intent(in) :: first(*), bytes(*)
      integer(c_int32_t), intent(in) :: target(*)
      type(c_ptr), value :: messages
      type(c_ptr), intent(out) :: traffic
      integer(c_int) :: status
    end function

    function topoloom_traffic_parse_c(specification, traffic) bind(c, name="topoloom_traffic_parse") result(status)
      import :: c_char, c_ptr, c_int
      character(kind=c_char), intent(in) :: specification(*)
      type(c_ptr), intent(out) :: traffic
      integer(c_int) :: status
    end function

    subroutine topoloom_traffic_free(traffic) bind(c)
      import :: c_ptr
      type(c_ptr), value :: traffic
    end subroutine

    function topoloom_traffic_ranks(traffic) bind(c) result(ranks)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: traffic
      integer(c_int32_t) :: ranks
    end function

    subroutine topoloom_options_init(options) bind(c)
      import :: topoloom_options
      type(topoloom_options), intent(out) :: options
    end subroutine

    ! `options` is c_null_ptr, or c_loc of a variable of the type topoloom_options.
    function topoloom_map(traffic, machine, options, slot_of_rank, cost) bind(c) result(status)
      import :: c_ptr, c_int32_t, c_double, c_int
      type(c_ptr), value :: traffic, machine, options
      integer(c_int32_t), intent(out) :: slot_of_rank(*)
      real(c_double), intent(out) :: cost
      integer(c_int) :: status
    end function

    ! `objective` is c_null_ptr, or c_loc of a text that ends with c_null_char.
    function topoloom_cost(traffic, machine, objective, slot_of_rank, cost) bind(c) result(status)
      import :: c_ptr, c_int32_t, c_double, c_int
      type(c_ptr), value :: traffic, machine, objective
      integer(c_int32_t), intent(in) :: slot_of_rank(*)
      real(c_double), intent(out) :: cost
      integer(c_int) :: status
    end function

    function topoloom_reorder(traffic, machine, options, slot_of_process, new_rank, before, after) bind(c) result(status)
      import :: c_ptr, c_int32_t, c_double, c_int
      type(c_ptr), value :: traffic, machine, options
      integer(c_int32_t), intent(in) :: slot_of_process(*)
      integer(c_int32_t), intent(out) :: new_rank(*)
      real(c_double), intent(out) :: before, after
      integer(c_int) :: status
    end function
  end interface

contains

  function topoloom_machine_parse(specification, machine) result(status)
    character(*), intent(in) :: specification
    type(c_ptr), intent(out) :: machine
    integer(c_int) :: status
    status = topoloom_machine_parse_c(trim(specification)//c_null_char, machine)
  end function

  function topoloom_traffic_parse(specification, traffic) result(status)
    character(*), intent(in) :: specification
    type(c_ptr), intent(out) :: traffic
    integer(c_int) :: status
    status = topoloom_traffic_parse_c(trim(specification)//c_null_char, traffic)
  end function

  ! Why the last call failed.
  function topoloom_message() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, i
    call c_f_pointer(topoloom_message_c(), letters, [4096])
    length = 0
    do while (length < 4095 .and. letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate(character(length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function
end module
