//! The named infos of elements.

use roxmltree::Node;

/// The info of an element under a name.
pub(super) fn info(element: Node<'_, '_>, name: &str) -> Option<String> {
    let mut infos = element.children().filter(|child| child.has_tag_name("info"));
    let value = infos.find(|info| info.attribute("name") == Some(name))?.attribute("value")?;
    (!value.is_empty()).then(|| value.to_string())
}
