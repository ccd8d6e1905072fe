//! Pictures as PNG.

use thiserror::Error;

/// Why a picture is no PNG.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the picture cannot be drawn as PNG: {0}")]
pub struct PngError(pub String);
