use std::time::Instant;
use topoloom_core::multilevel::{blocks::*, fm::*, graph::*, stage::*};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let cycles: usize = a[2].parse().unwrap();
    let pm: usize = a[3].parse().unwrap();
    let coarsest: usize = a[4].parse().unwrap();
    let tries: usize = a[5].parse().unwrap();
    let divisions: usize = a[6].parse().unwrap();
    let flow = if a[7] == "0" { None } else { Some(topoloom_core::multilevel::flow::Reach { share: a[7].parse().unwrap(), vertices: 5000 }) };
    let mut lines = text.lines();
    let n: usize = lines.next().unwrap().split(' ').next().unwrap().parse().unwrap();
    let mut g = Graph { start: vec![0], edges: vec![], sizes: vec![1.0; n] };
    for _ in 0..n {
        for t in lines.next().unwrap_or("").split_ascii_whitespace() {
            g.edges.push(Edge { to: t.parse::<u32>().unwrap() - 1, weight: 1.0 });
        }
        g.start.push(g.edges.len() as u32);
    }
    let t = Instant::now();
    let order = bfs(&g);
    let mut local = vec![0; n];
    for (i, &v) in order.iter().enumerate() { local[v as usize] = i as u32; }
    let g = g.induced(&order, &local, |_| true);
    println!("reorder {:?}", t.elapsed());
    let cap = (1.03 * (n as f64 / 256.0).ceil()).floor();
    let fan = [8usize, 8, 4];
    let mut parts: Vec<Vec<u32>> = vec![(0..n as u32).collect()];
    let mut part_of = vec![0u32; n];
    let mut leaves = 256.0;
    let mut j = 0.0;
    let dist = [100.0, 10.0, 1.0];
    for (stage, &k) in fan.iter().enumerate() {
        let t = Instant::now();
        let mut next = vec![];
        let mut cut = 0.0;
        let mut local = vec![0u32; n];
        for (i, p) in parts.iter().enumerate() {
            for (x, &v) in p.iter().enumerate() { local[v as usize] = x as u32; }
            let sub = g.induced(p, &local, |v| part_of[v as usize] == i as u32);
            let w = p.len() as f64;
            let slack = (leaves * cap / w).powf(if stage == 2 { 1.0 } else { std::env::var("SL").map_or(0.5, |x| x.parse().unwrap()) });
            let capacity = vec![(w / k as f64 * slack).floor().min(leaves / k as f64 * cap); k];
            let s = Stage { graph: &sub, distance: &Uniform, capacity: &capacity, bias: &[] };
            let work = Work { coarsest, tries, divisions, patience: Patience { moves: pm, rounds: 10 }, cycles, flow };
            let b = s.divide(&work, 1, &[stage as u64, i as u64]);
            let d = Division::new(&sub, &Uniform, &capacity, &[], b);
            cut += d.cost();
            if d.overload() > 0.0 { println!("OVER {}", d.overload()); }
            let base = next.len();
            for _ in 0..k { next.push(vec![]); }
            for (x, &v) in p.iter().enumerate() { let b: &mut Vec<u32> = &mut next[base + d.block_of[x] as usize]; b.push(v); }
        }
        parts = next;
        for (i, p) in parts.iter().enumerate() { for &v in p { part_of[v as usize] = i as u32; } }
        leaves /= k as f64;
        j += cut * dist[stage];
        println!("stage {stage} cut {cut} {:?}", t.elapsed());
    }
    println!("J {j} max {}", parts.iter().map(|p| p.len()).max().unwrap());
}
fn bfs(g: &Graph) -> Vec<u32> {
    let mut seen = vec![false; g.len()]; let mut order = Vec::with_capacity(g.len());
    for s in 0..g.len() as u32 { if seen[s as usize] { continue; } seen[s as usize] = true; order.push(s); let mut i = order.len() - 1;
        while i < order.len() { let v = order[i]; i += 1; for e in g.edges(v) { if !seen[e.to as usize] { seen[e.to as usize] = true; order.push(e.to); } } } }
    order
}
