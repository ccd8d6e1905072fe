// The machine under the first and the last placement, with one camera, one scale and one selection.

import type { MachineData, ReportData } from "../data";
import { css, onThemeChange, theme } from "../colours";
import { make, makeButton, makeLiveText, setText } from "../elements";
import { makeLegend, makeSwatch } from "../legend";
import { amountsIn, briefAmountsIn, grouped } from "../numbers";
import { RanksOfPoints, type Selection } from "../selection";
import { hideTip, showTip } from "../tip";
import { Camera } from "./camera";
import { connectGestures, step, zoomStep } from "./gestures";
import { MachinePanel } from "./panel";
import { sameThing, type Thing } from "./pick";
import { longWords, shortWords } from "./words";

/** A refined picture that takes longer than this is drawn quickly while it moves. */
const REFINED_BUDGET_MILLISECONDS = 14;
const STILL_AFTER_MILLISECONDS = 160;
/** Flat machines wider than this are shown one below the other. */
const WIDE_ASPECT = 2.2;
const SLIDER_STEPS = 200;
const HINT = "Point at a node or a line to read what it carries.";

/** Fills `#machine-view`; `below` is put after the panels. */
export function showMachine(view: HTMLElement, data: ReportData, machine: MachineData, selection: Selection, below: HTMLElement): void {
  new MachineView(view, data, machine, selection, below);
}

class MachineView {
  private readonly camera: Camera;
  private readonly panels: MachinePanel[];
  private readonly ranks: (RanksOfPoints | null)[];
  private readonly told = makeLiveText(HINT);
  private readonly most: number;
  private readonly amount;
  private looked: Thing | null = null;
  private scheduled = false;
  private refiner = 0;
  private moving = false;
  private refinedMilliseconds = 0;

  constructor(
    view: HTMLElement,
    private readonly data: ReportData,
    private readonly machine: MachineData,
    private readonly selection: Selection,
    below: HTMLElement,
  ) {
    this.amount = amountsIn(data.weight);
    this.camera = new Camera(machine.turns);
    this.most = Math.max(0, ...machine.loads.map(({ most }) => most));
    const mostTraffic = mostOf(machine.loads.map(({ traffic }) => traffic));
    const last = data.placements.length - 1;
    const shown = last > 0 ? [0, last] : last === 0 ? [0] : [];
    this.panels = shown.map(
      (placement) =>
        new MachinePanel(data, machine, placement, this.camera, selection, this.most, mostTraffic, this.amount),
    );
    this.ranks = this.panels.map(({ placement }) => {
      const points = data.pointsOfRanks?.[placement];
      return points === undefined ? null : new RanksOfPoints(points, machine.names.length);
    });
    view.replaceChildren(
      this.makeControls(),
      make("p", { class: "hint" }, this.hint()),
      this.makePanels(),
      this.told,
      this.makeLegends(mostTraffic),
      ...machine.notes.map((note) => make("p", { class: "note" }, note)),
      below,
    );
    selection.onChange(() => this.schedule(false));
    onThemeChange(() => {
      for (const panel of this.panels) panel.painter.setTheme(theme());
      this.paintNow(false);
    });
    const observer = new ResizeObserver(() => {
      if (this.panels.every((panel) => panel.resize())) this.paintNow(false);
    });
    for (const panel of this.panels) observer.observe(panel.canvas);
  }

  /** What an edge is. */
  private get edgeWord(): string {
    return this.machine.boundaries ? "boundary" : "link";
  }

  private hint(): string {
    const drag = this.machine.turns ? "Drag to turn, with Shift to move." : "Drag to move.";
    return (
      `${drag} The wheel zooms after a click on the picture, or with Ctrl; two fingers zoom and move. ` +
      "Double-click to see all again." +
      (this.data.pointsOfRanks === null ? "" : " Click a node to see with whom its rank exchanges.")
    );
  }

  private makePanels(): HTMLElement {
    const holder = make("div", { class: "panels" });
    const aspect = this.panels[0]?.aspect ?? 1;
    if (!this.machine.turns && aspect > WIDE_ASPECT) holder.classList.add("stacked");
    this.panels.forEach((panel, number) => {
      const { most } = this.machine.loads[panel.placement]!;
      const title = make(
        "h3",
        { class: "panel-title" },
        this.data.placements[panel.placement]!,
        make("span", { class: "panel-note" }, `busiest ${this.edgeWord} ${this.amount(most)}`),
      );
      // Not much higher than it needs, nor a strip.
      panel.canvas.style.aspectRatio = String(Math.min(Math.max(aspect, 1.05), 3));
      connectGestures(panel.canvas, this.camera, {
        moved: () => this.schedule(true),
        clicked: (event) => this.click(panel, number, event),
      });
      this.connectPointer(panel, number);
      holder.append(make("div", { class: "panel" }, title, panel.canvas));
    });
    return holder;
  }

  private makeControls(): HTMLElement {
    const { camera } = this;
    const verb = camera.turns ? "Turn" : "Move";
    const act = (action: () => void) => (): void => {
      action();
      this.schedule(true);
    };
    const buttons = make(
      "div",
      { class: "buttons", role: "group", "aria-label": "View" },
      makeButton("←", `${verb} left`, act(() => step(camera, -1, 0, false))),
      makeButton("→", `${verb} right`, act(() => step(camera, 1, 0, false))),
      makeButton("↑", `${verb} up`, act(() => step(camera, 0, -1, false))),
      makeButton("↓", `${verb} down`, act(() => step(camera, 0, 1, false))),
      makeButton("+", "Closer", act(() => zoomStep(camera, true))),
      makeButton("−", "Farther", act(() => zoomStep(camera, false))),
      makeButton("Reset view", "Reset view", act(() => camera.reset())),
    );
    return make("div", { class: "controls" }, this.makeSlider(), buttons);
  }

  private makeSlider(): HTMLElement {
    const slider = make("input", { type: "range", id: "least-load", min: "0", max: String(SLIDER_STEPS), value: "0" });
    const value = make("output", { for: "least-load" });
    const counts = make("p", { class: "counts", "aria-live": "polite" });
    slider.disabled = this.most === 0;
    const update = (): void => {
      // Loads are 32-bit numbers: without rounding alike, the busiest link could be hidden at the end.
      const least = Math.fround((Number(slider.value) / SLIDER_STEPS) * this.most);
      for (const { painter } of this.panels) painter.hideBelow(least);
      value.textContent = least === 0 ? "none hidden" : this.amount(least);
      slider.setAttribute("aria-valuetext", value.textContent);
      const all = grouped(this.machine.edges.length / 2);
      const each = this.panels.map(
        ({ painter, placement }) => `${grouped(painter.countShown())} under ${this.data.placements[placement]!}`,
      );
      setText(counts, `${this.machine.boundaries ? "Boundaries" : "Links"} shown of ${all}: ${each.join(", ")}`);
    };
    slider.addEventListener("input", () => {
      update();
      this.schedule(true);
    });
    update();
    const label = make("label", { for: "least-load" }, `Hide ${this.machine.boundaries ? "boundaries" : "links"} that carry less than`);
    return make("div", { class: "slider" }, label, slider, value, counts);
  }

  private makeLegends(mostTraffic: number): HTMLElement {
    const amount = briefAmountsIn(this.data.weight);
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((position) => ({ position, text: amount(position * this.most) }));
    const what = this.data.weight === "bytes" ? "Carried" : "Messages carried";
    const keys = make(
      "div",
      { class: "legend-keys" },
      makeSwatch(this.machine.boundaries ? "nothing crosses it" : "carries nothing", () => css(theme().unused), "line"),
      this.machine.cells
        ? makeSwatch("a small square is a node with the colour of its own link", () => css(theme().unused), "cell")
        : makeSwatch(`node; the larger, the more it exchanges (at most ${this.amount(mostTraffic)})`, () => css(theme().ink), "dot"),
    );
    if (this.machine.around.some((around) => around === 1)) {
      keys.append(makeSwatch("a short line at the edge goes around, to the other side", () => css(theme().soft), "line"));
    }
    if (this.machine.holding < this.machine.names.length) {
      keys.append(makeSwatch(this.machine.boundaries ? "group" : "switch", () => css(theme().soft), "cell"));
    }
    const scale = makeLegend(`${what} ${this.machine.boundaries ? "over the boundary of a group" : "by a link"}, the busier direction`, this.most > 0 ? ticks : []);
    return make("div", { class: "legends" }, scale, keys);
  }

  private connectPointer(panel: MachinePanel, number: number): void {
    panel.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) return hideTip();
      const thing = panel.thingUnder(event);
      this.look(thing);
      if (thing === null) return hideTip();
      showTip(shortWords(thing, this.machine, panel.placement, this.ranks[number] ?? null, this.amount), event.clientX, event.clientY);
    });
    panel.canvas.addEventListener("pointerleave", () => {
      hideTip();
      this.look(null);
    });
  }

  private click(panel: MachinePanel, number: number, event: { clientX: number; clientY: number }): void {
    const thing = panel.thingUnder(event);
    if (thing?.kind !== "point") return;
    const rank = this.ranks[number]?.at(thing.point)[0];
    if (rank !== undefined) this.selection.select(rank);
  }

  private look(thing: Thing | null): void {
    if (sameThing(thing, this.looked)) return;
    this.looked = thing;
    this.panels.forEach((panel) => panel.paintMarks(thing));
    const shown = this.panels.map(({ placement }, number) => ({ placement, ranks: this.ranks[number] ?? null }));
    setText(this.told, thing === null ? HINT : longWords(thing, this.data, this.machine, shown, this.amount));
  }

  /** Draws with the next frame, once however often it is asked to. */
  private schedule(moving: boolean): void {
    this.moving ||= moving;
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const quick = this.moving && this.refinedMilliseconds > REFINED_BUDGET_MILLISECONDS;
      this.moving = false;
      this.paintNow(quick);
      clearTimeout(this.refiner);
      if (quick) this.refiner = setTimeout(() => this.paintNow(false), STILL_AFTER_MILLISECONDS);
    });
  }

  private paintNow(quick: boolean): void {
    const before = performance.now();
    for (const panel of this.panels) panel.paint(quick, this.looked);
    if (!quick) this.refinedMilliseconds = performance.now() - before;
  }
}

function mostOf(lists: Float32Array[]): number {
  let most = 0;
  for (const list of lists) for (const value of list) if (value > most) most = value;
  return most;
}
