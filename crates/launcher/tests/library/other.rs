//! A library without a command line.
