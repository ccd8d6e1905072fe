//! The report: one page that holds everything, and asks for nothing from outside.
