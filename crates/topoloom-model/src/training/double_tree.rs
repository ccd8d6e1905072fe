//! The double binary tree with which NCCL reduces over nodes.

/// The neighbours of a node in one tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeNode {
    /// Where it sends sums; none for the root.
    pub up: Option<u32>,
    /// From where it gets them.
    pub down: Vec<u32>,
}

/// The two trees over `nodes` nodes. Inner nodes of one are leaves of the other: the second is the
/// first mirrored, or shifted by one if the number of nodes is odd.
///
/// ```
/// use topoloom_model::training::double_tree;
/// let [first, second] = double_tree(8);
/// assert_eq!((first[0].up, &first[4].down[..]), (None, &[2, 6][..]));
/// assert_eq!(second[7].up, None);
/// ```
pub fn double_tree(nodes: u32) -> [Vec<TreeNode>; 2] {
    let first: Vec<TreeNode> = (0..nodes).map(|node| binary_tree(nodes, node)).collect();
    let moved = |node: u32| match nodes % 2 {
        0 => nodes - 1 - node,
        _ => (node + 1) % nodes,
    };
    let mut second = vec![TreeNode::default(); nodes as usize];
    for (node, neighbours) in (0..).zip(&first) {
        second[moved(node) as usize] = TreeNode {
            up: neighbours.up.map(moved),
            down: neighbours.down.iter().map(|&down| moved(down)).collect(),
        };
    }
    [first, second]
}

/// The neighbours of a node in the tree whose root is 0. The lowest set bit of a node's number says
/// how high it is.
fn binary_tree(nodes: u32, node: u32) -> TreeNode {
    if node == 0 {
        let top = nodes.next_power_of_two() / 2;
        let down = if nodes > 1 { vec![top.max(1)] } else { Vec::new() };
        return TreeNode { up: None, down };
    }
    let bit = node & node.wrapping_neg();
    let up = match (node ^ bit) | (bit << 1) {
        beyond if beyond >= nodes => node ^ bit,
        up => up,
    };
    let half = bit >> 1;
    let mut down = Vec::new();
    if half > 0 {
        down.push(node - half);
        // The other side may reach beyond the last node. Then a lower one takes its place.
        let mut step = half;
        while step > 0 && node + step >= nodes {
            step >>= 1;
        }
        if step > 0 {
            down.push(node + step);
        }
    }
    TreeNode { up: Some(up), down }
}
