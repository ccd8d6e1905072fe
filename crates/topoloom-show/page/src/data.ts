// The data of the page, decoded and checked once, so that nothing later has to doubt it.

/** The same traffic with ranks in one order. */
export interface MatrixOrder {
  name: string;
  axis: "rank" | "place";
  /** row * size + column, rising; the sender is the row. */
  cells: Uint32Array;
  values: Float32Array;
}

export interface MatrixData {
  size: number;
  ranksPerCell: number;
  orders: MatrixOrder[];
}

/** What one placement puts on the machine. */
export interface Loads {
  forward: Float32Array;
  backward: Float32Array;
  traffic: Float32Array;
  most: number;
}

export interface MachineData {
  turns: boolean;
  /** Whether edges are borders of groups, the one at their first end each, and not links. */
  boundaries: boolean;
  /** Three numbers a point. */
  points: Float32Array;
  names: string[];
  /** The first so many points hold nodes. */
  holding: number;
  /** Two points an edge. */
  edges: Uint32Array;
  /** One an edge: 1 where it goes around. */
  around: Uint8Array;
  /** One an edge: how far its middle is aside, up along a row and to the right along a column; 0 where it is straight. */
  bends: Float32Array;
  /** What rows of a machine in rows are called, and a point of each. */
  rows: { name: string; point: number }[];
  /** Whether nodes are cells with the colour of their own links, whose lines are not drawn. */
  cells: boolean;
  loads: Loads[];
  notes: string[];
}

export interface Partners {
  start: Uint32Array;
  rank: Uint32Array;
  weight: Float32Array;
  leftOut: Uint32Array;
  leftOutWeight: Float32Array;
}

export interface FileData {
  name: string;
  type: string;
  content: string;
}

export interface ReportData {
  ranks: number;
  weight: "bytes" | "messages";
  placements: string[];
  matrix: MatrixData | null;
  machine: MachineData | null;
  /** The point of each rank, a placement each; null without a machine, or where there are too many ranks. */
  pointsOfRanks: Uint32Array[] | null;
  partners: Partners | null;
  files: FileData[];
}

/** What is wrong with the data, for the person who reads the page. */
export class DamagedData extends Error {}

type Fields = Record<string, unknown>;

/** Reads the text of `#report-data`. */
export function decodeReport(text: string): ReportData {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new DamagedData("it is not JSON; the file may have been cut off");
  }
  const data = fields(parsed, "the data");
  if (data.version !== 1) {
    throw new DamagedData(`it has version ${String(data.version)}, this page reads version 1`);
  }
  const ranks = count(data.ranks, "ranks");
  const weight = data.weight;
  if (weight !== "bytes" && weight !== "messages") {
    throw new DamagedData('weight is neither "bytes" nor "messages"');
  }
  const placements = texts(data.placements, "placements");
  const machine = data.machine == null ? null : decodeMachine(data.machine, placements.length);
  return {
    ranks,
    weight,
    placements,
    matrix: data.matrix == null ? null : decodeMatrix(data.matrix),
    machine,
    pointsOfRanks:
      machine === null || data.points_of_ranks == null
        ? null
        : decodePlaces(data.points_of_ranks, machine, ranks, placements.length),
    partners: data.partners == null ? null : decodePartners(data.partners, ranks),
    files: data.files == null ? [] : list(data.files, "files").map(decodeFile),
  };
}

function decodeMatrix(value: unknown): MatrixData {
  const matrix = fields(value, "matrix");
  const size = count(matrix.size, "matrix.size");
  const orders = list(matrix.orders, "matrix.orders").map((entry, number): MatrixOrder => {
    const where = `matrix.orders[${number}]`;
    const order = fields(entry, where);
    const cells = naturals(order.cells, `${where}.cells`);
    const values = reals(order.values, `${where}.values`);
    expectLength(values, cells.length, `${where}.values`);
    expectBelow(cells, size * size, `${where}.cells`);
    return { name: text(order.name, `${where}.name`), axis: order.axis === "place" ? "place" : "rank", cells, values };
  });
  return { size, ranksPerCell: Math.max(1, count(matrix.ranks_per_cell, "matrix.ranks_per_cell")), orders };
}

function decodeMachine(value: unknown, placements: number): MachineData {
  const machine = fields(value, "machine");
  const points = reals(machine.points, "machine.points");
  const names = texts(machine.names, "machine.names");
  expectLength(points, 3 * names.length, "machine.points");
  const holding = count(machine.holding, "machine.holding");
  if (holding > names.length) throw new DamagedData("machine.holding is more than there are points");
  const edges = naturals(machine.edges, "machine.edges");
  if (edges.length % 2 !== 0) throw new DamagedData("machine.edges has an odd length");
  expectBelow(edges, names.length, "machine.edges");
  const edgeCount = edges.length / 2;
  const around = new Uint8Array(edgeCount);
  const goingAround = naturals(machine.around, "machine.around");
  expectBelow(goingAround, edgeCount, "machine.around");
  for (const edge of goingAround) around[edge] = 1;
  const loads = list(machine.loads, "machine.loads").map((entry, number): Loads => {
    const where = `machine.loads[${number}]`;
    const load = fields(entry, where);
    const forward = reals(load.forward, `${where}.forward`);
    const backward = reals(load.backward, `${where}.backward`);
    const traffic = reals(load.traffic, `${where}.traffic`);
    expectLength(forward, edgeCount, `${where}.forward`);
    expectLength(backward, edgeCount, `${where}.backward`);
    if (traffic.length < holding) throw new DamagedData(`${where}.traffic is too short`);
    return { forward, backward, traffic, most: real(load.most, `${where}.most`) };
  });
  if (loads.length !== placements) {
    throw new DamagedData(`machine.loads has ${loads.length} entries for ${placements} placements`);
  }
  const notes = machine.notes == null ? [] : texts(machine.notes, "machine.notes");
  const boundaries = machine.boundaries === true;
  const given = machine.bends == null ? new Float32Array() : reals(machine.bends, "machine.bends");
  if (given.length > 0) expectLength(given, edgeCount, "machine.bends");
  const bends = given.length > 0 ? given : new Float32Array(edgeCount);
  const rows = machine.rows == null ? [] : list(machine.rows, "machine.rows").map((entry, number) => {
    const row = fields(entry, `machine.rows[${number}]`);
    const point = count(row.point, `machine.rows[${number}].point`);
    if (point >= names.length) throw new DamagedData(`machine.rows[${number}].point is not a point`);
    return { name: String(row.name), point };
  });
  const cells = machine.cells === true;
  return { turns: machine.turns === true, boundaries, points, names, holding, edges, around, bends, rows, cells, loads, notes };
}

function decodePlaces(value: unknown, machine: MachineData, ranks: number, placements: number): Uint32Array[] {
  const places = list(value, "points_of_ranks").map((entry, number) => {
    const where = `points_of_ranks[${number}]`;
    const points = naturals(entry, where);
    expectLength(points, ranks, where);
    expectBelow(points, machine.names.length, where);
    return points;
  });
  if (places.length !== placements) {
    throw new DamagedData(`points_of_ranks has ${places.length} entries for ${placements} placements`);
  }
  return places;
}

function decodePartners(value: unknown, ranks: number): Partners {
  const partners = fields(value, "partners");
  const start = naturals(partners.start, "partners.start");
  const rank = naturals(partners.rank, "partners.rank");
  const weight = reals(partners.weight, "partners.weight");
  const leftOut = naturals(partners.left_out, "partners.left_out");
  const leftOutWeight = reals(partners.left_out_weight, "partners.left_out_weight");
  expectLength(start, ranks + 1, "partners.start");
  expectLength(weight, rank.length, "partners.weight");
  expectLength(leftOut, ranks, "partners.left_out");
  expectLength(leftOutWeight, ranks, "partners.left_out_weight");
  expectBelow(rank, ranks, "partners.rank");
  for (let index = 0; index < ranks; index++) {
    if (start[index]! > start[index + 1]!) throw new DamagedData("partners.start falls");
  }
  if (start[ranks]! !== rank.length) throw new DamagedData("partners.start does not end at the last partner");
  return { start, rank, weight, leftOut, leftOutWeight };
}

function decodeFile(value: unknown, number: number): FileData {
  const file = fields(value, `files[${number}]`);
  return {
    name: text(file.name, `files[${number}].name`),
    type: text(file.type, `files[${number}].type`),
    content: text(file.content, `files[${number}].content`),
  };
}

function fields(value: unknown, where: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new DamagedData(`${where} is missing or no object`);
  }
  return value as Fields;
}

function list(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new DamagedData(`${where} is missing or no list`);
  return value;
}

function text(value: unknown, where: string): string {
  if (typeof value !== "string") throw new DamagedData(`${where} is missing or no text`);
  return value;
}

function texts(value: unknown, where: string): string[] {
  return list(value, where).map((entry, number) => text(entry, `${where}[${number}]`));
}

function real(value: unknown, where: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new DamagedData(`${where} is missing or no number`);
  return value;
}

function count(value: unknown, where: string): number {
  const number = real(value, where);
  if (!Number.isInteger(number) || number < 0) throw new DamagedData(`${where} is no count`);
  return number;
}

/** Bytes of base64, copied to an address that any array of numbers may start at. */
function bytesOf(value: unknown, where: string): ArrayBuffer {
  let decoded: string;
  try {
    decoded = atob(text(value, where));
  } catch (error) {
    if (error instanceof DamagedData) throw error;
    throw new DamagedData(`${where} is no base64`);
  }
  if (decoded.length % 4 !== 0) throw new DamagedData(`${where} is cut off`);
  const bytes = new Uint8Array(decoded.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = decoded.charCodeAt(index);
  return bytes.buffer;
}

function naturals(value: unknown, where: string): Uint32Array {
  return new Uint32Array(bytesOf(value, where));
}

function reals(value: unknown, where: string): Float32Array {
  const numbers = new Float32Array(bytesOf(value, where));
  for (const number of numbers) {
    if (!Number.isFinite(number)) throw new DamagedData(`${where} holds something that is no number`);
  }
  return numbers;
}

function expectLength(numbers: { length: number }, length: number, where: string): void {
  if (numbers.length !== length) {
    throw new DamagedData(`${where} has ${numbers.length} numbers, expected ${length}`);
  }
}

function expectBelow(numbers: Uint32Array, limit: number, where: string): void {
  for (const number of numbers) {
    if (number >= limit) throw new DamagedData(`${where} holds ${number}, which must be below ${limit}`);
  }
}
