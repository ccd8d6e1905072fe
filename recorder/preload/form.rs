//! How arguments are passed: as in C, as in C with large counts, or as in Fortran.

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::library::{
    comm_from_fortran, datatype_from_fortran, message_from_fortran, operation_from_fortran,
    request_from_fortran, window_from_fortran,
};
use crate::recorder::library;
use crate::symbols::find;

/// Reads arguments. Every argument of an MPI function is a number or an address and is passed in 64
/// bits. A number of 32 bits fills the lower half.
///
/// The functions are only called with what the program passed to an MPI function that has
/// accepted it.
pub trait Form {
    fn int(argument: usize) -> i32;
    fn count(argument: usize) -> i64;
    fn count_at(array: usize, number: usize) -> i64;
    fn comm(argument: usize) -> usize;
    fn datatype(argument: usize) -> usize;
    fn datatype_at(array: usize, number: usize) -> usize;
    fn window(argument: usize) -> usize;
    fn operation(argument: usize) -> usize;
    /// The handle at an address.
    fn comm_behind(address: usize) -> usize;
    fn window_behind(address: usize) -> usize;
    fn message_behind(address: usize) -> usize;
    fn request_at(array: usize, number: usize) -> usize;
    fn is_in_place(buffer: usize) -> bool;
    /// Whether the caller wants no status, or no statuses.
    fn ignores_status(status: usize) -> bool;
    /// A count of one as it would be passed.
    fn one() -> usize;
}

pub struct C;
pub struct Large;
pub struct Fortran;

macro_rules! as_in_c {
    () => {
        #[inline]
        fn int(argument: usize) -> i32 {
            argument as i32
        }
        #[inline]
        fn comm(argument: usize) -> usize {
            library().handle(argument)
        }
        #[inline]
        fn datatype(argument: usize) -> usize {
            library().handle(argument)
        }
        fn datatype_at(array: usize, number: usize) -> usize {
            unsafe { library().handle_at(array, number) }
        }
        fn window(argument: usize) -> usize {
            library().handle(argument)
        }
        fn operation(argument: usize) -> usize {
            library().handle(argument)
        }
        fn comm_behind(address: usize) -> usize {
            unsafe { library().handle_at(address, 0) }
        }
        fn window_behind(address: usize) -> usize {
            unsafe { library().handle_at(address, 0) }
        }
        fn message_behind(address: usize) -> usize {
            unsafe { library().handle_at(address, 0) }
        }
        fn request_at(array: usize, number: usize) -> usize {
            unsafe { library().handle_at(array, number) }
        }
        fn is_in_place(buffer: usize) -> bool {
            buffer == library().in_place
        }
        fn ignores_status(status: usize) -> bool {
            status == library().status_ignore
        }
        fn one() -> usize {
            1
        }
    };
}

impl Form for C {
    as_in_c!();
    #[inline]
    fn count(argument: usize) -> i64 {
        i64::from(argument as i32)
    }
    fn count_at(array: usize, number: usize) -> i64 {
        unsafe { i64::from(*(array as *const i32).add(number)) }
    }
}

impl Form for Large {
    as_in_c!();
    #[inline]
    fn count(argument: usize) -> i64 {
        argument as i64
    }
    fn count_at(array: usize, number: usize) -> i64 {
        unsafe { *(array as *const i64).add(number) }
    }
}

/// Everything by address, and handles as numbers. Only Open MPI is read this way: the Fortran
/// functions of other libraries call those of C, which are seen there.
impl Form for Fortran {
    fn int(argument: usize) -> i32 {
        unsafe { *(argument as *const i32) }
    }
    fn count(argument: usize) -> i64 {
        i64::from(Self::int(argument))
    }
    fn count_at(array: usize, number: usize) -> i64 {
        i64::from(number_at(array, number))
    }
    fn comm(argument: usize) -> usize {
        comm_from_fortran(Self::int(argument))
    }
    fn datatype(argument: usize) -> usize {
        datatype_from_fortran(Self::int(argument))
    }
    fn datatype_at(array: usize, number: usize) -> usize {
        datatype_from_fortran(number_at(array, number))
    }
    fn window(argument: usize) -> usize {
        window_from_fortran(Self::int(argument))
    }
    fn operation(argument: usize) -> usize {
        operation_from_fortran(Self::int(argument))
    }
    fn comm_behind(address: usize) -> usize {
        Self::comm(address)
    }
    fn window_behind(address: usize) -> usize {
        Self::window(address)
    }
    fn message_behind(address: usize) -> usize {
        message_from_fortran(Self::int(address))
    }
    fn request_at(array: usize, number: usize) -> usize {
        request_from_fortran(number_at(array, number))
    }
    fn is_in_place(buffer: usize) -> bool {
        static IN_PLACE: Variable = Variable::new(c"mpi_fortran_in_place_");
        IN_PLACE.is_at(buffer)
    }
    fn ignores_status(status: usize) -> bool {
        static ONE: Variable = Variable::new(c"mpi_fortran_status_ignore_");
        static MANY: Variable = Variable::new(c"mpi_fortran_statuses_ignore_");
        ONE.is_at(status) || MANY.is_at(status)
    }
    fn one() -> usize {
        static ONE: i32 = 1;
        &raw const ONE as usize
    }
}

/// The number at this place of an array.
pub fn number_at(array: usize, place: usize) -> i32 {
    unsafe { *(array as *const i32).add(place) }
}

/// A variable of Open MPI whose address has a meaning.
struct Variable {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Variable {
    const fn new(name: &'static CStr) -> Variable {
        Variable { name, address: AtomicUsize::new(0) }
    }

    fn is_at(&self, address: usize) -> bool {
        let mut own = self.address.load(Ordering::Relaxed);
        if own == 0 {
            own = find(self.name).unwrap_or(usize::MAX);
            self.address.store(own, Ordering::Relaxed);
        }
        own == address
    }
}
