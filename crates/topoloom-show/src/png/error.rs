//! Why there is no PNG of a picture.

use thiserror::Error;

/// Why a picture cannot be drawn as PNG.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the picture cannot be drawn as PNG: {0}")]
pub struct PngError(pub String);
