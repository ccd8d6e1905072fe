//! What every figure promises, whatever it is given.
