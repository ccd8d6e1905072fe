// Marks the link to the section that is being read.

import { all } from "./elements";

export function followSections(): void {
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of all<HTMLAnchorElement>("body > nav a[href^='#']")) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (section !== null) links.set(section, link);
  }
  const seen = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const current = [...links.keys()].find((section) => seen.has(section));
      for (const [section, link] of links) {
        if (section === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    // What crosses the upper part of the window is what is read.
    { rootMargin: "-10% 0px -70% 0px" },
  );
  for (const section of links.keys()) observer.observe(section);
}
