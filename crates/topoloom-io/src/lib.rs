//! The file formats of Topoloom, in and out.
