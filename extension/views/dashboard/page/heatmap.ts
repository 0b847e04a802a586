/**
 * The archive as a heat map on a canvas of its own: a chart library redraws all cells for each new elite, this one only
 * those that changed. Usable with the pointer and with the keyboard.
 */
import type { MapCell, Projection } from '../../../../shared/dashboard/projection.ts';
import type { Theme } from './theme.ts';

export interface HeatMapEvents {
  /** The cell under the pointer (`by` says so) or at the keyboard's cursor; undefined when there is none. */
  active(cell: MapCell | undefined, by: 'pointer' | 'keys', at: { x: number; y: number }): void;
  review(cell: MapCell): void;
  lineage(cell: MapCell): void;
  cross(a: MapCell, b: MapCell): void;
  /** The cell that waits for another one to be crossed with. */
  taken(cell: MapCell | undefined): void;
}

/** Pointer movement in CSS pixels that makes a click a drag. */
const DRAG_PX = 5;

export class HeatMap {
  private readonly canvas: HTMLCanvasElement;
  private readonly overlay = document.createElement('canvas');
  private readonly events: HeatMapEvents;
  private projection: Projection | undefined;
  private theme: Theme | undefined;
  /** Colour of each painted cell, to paint only what differs. */
  private painted = new Map<number, number>();
  private shape = '';
  private paintedIn: Theme | undefined;
  /** Where the keyboard is. */
  private cursor: MapCell | undefined;
  private taken: MapCell | undefined;
  private held: { projection: Projection; theme: Theme } | undefined;
  private drag: { from: MapCell; x: number; y: number; moved: boolean } | undefined;

  constructor(canvas: HTMLCanvasElement, events: HeatMapEvents) {
    this.canvas = canvas;
    this.events = events;
    this.overlay.id = 'map-marks';
    this.overlay.setAttribute('aria-hidden', 'true');
    canvas.after(this.overlay);
    new ResizeObserver(() => this.fit()).observe(canvas);
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    canvas.addEventListener('pointerleave', () => this.events.active(undefined, 'pointer', { x: 0, y: 0 }));
    canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    canvas.addEventListener('pointerup', (event) => this.released(event));
    canvas.addEventListener('pointercancel', () => this.endDrag());
    canvas.addEventListener('keydown', (event) => this.key(event));
    canvas.addEventListener('focus', () => this.focused());
    canvas.addEventListener('blur', () => this.mark());
  }

  /** While a cell is being dragged, nothing moves under the pointer: what is new shows after that. */
  show(projection: Projection, theme: Theme): void {
    if (this.drag !== undefined) {
      this.held = { projection, theme };
      return;
    }
    this.projection = projection;
    this.theme = theme;
    this.cursor = this.cellOf(this.cursor);
    this.taken = this.cellOf(this.taken);
    this.paint();
    this.mark();
  }

  /** Where the elite of a cell is now; where the cell was when the elite does not show any more. */
  private cellOf(cell: MapCell | undefined): MapCell | undefined {
    const projection = this.projection;
    if (cell === undefined || projection === undefined) return undefined;
    const same = projection.cells.get(cell.y * projection.x.count + cell.x);
    if (same?.best.sha256 === cell.best.sha256) return same;
    return [...projection.cells.values()].find(({ best }) => best.sha256 === cell.best.sha256) ?? same;
  }

  /** Another view of the archive: what was chosen in the old one is nowhere in it. */
  forget(): void {
    this.cursor = undefined;
    this.take(undefined);
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = devicePixelRatio;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.shape = '';
    this.paint();
    this.mark();
  }

  private paint(): void {
    const [projection, theme, context] = [this.projection, this.theme, this.canvas.getContext('2d')];
    if (projection === undefined || theme === undefined || context === null) return;
    const { x, y, cells, low, high } = projection;
    const { width, height } = this.canvas;
    const shape = [width, height, x.count, y.count].join();
    if (shape !== this.shape || theme !== this.paintedIn) {
      this.shape = shape;
      this.paintedIn = theme;
      context.clearRect(0, 0, width, height);
      this.painted.clear();
    }
    for (const [key] of this.painted) {
      if (cells.has(key)) continue;
      const { left, top, right, bottom } = this.box(key % x.count, Math.floor(key / x.count));
      context.clearRect(left, top, right - left, bottom - top);
      this.painted.delete(key);
    }
    const last = theme.ramp.length - 1;
    for (const [key, cell] of cells) {
      const color = high === low ? last : Math.round(((cell.best.fitness - low) / (high - low)) * last);
      if (this.painted.get(key) === color) continue;
      this.painted.set(key, color);
      const { left, top, right, bottom } = this.box(cell.x, cell.y);
      context.fillStyle = theme.ramp[color] ?? theme.accent;
      context.fillRect(left, top, right - left, bottom - top);
      if (!theme.highContrast || right - left < 6 || bottom - top < 6) continue;
      context.strokeStyle = theme.fg;
      context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
    }
  }

  /** In device pixels; rows grow upwards. Large cells have a gap between them. */
  private box(column: number, row: number): { left: number; top: number; right: number; bottom: number } {
    const { width, height } = this.canvas;
    const { x, y } = this.projection ?? { x: { count: 1 }, y: { count: 1 } };
    const left = Math.round((column * width) / x.count);
    const right = Math.round(((column + 1) * width) / x.count);
    const top = Math.round(height - ((row + 1) * height) / y.count);
    const bottom = Math.round(height - (row * height) / y.count);
    const gap = right - left > 5 && bottom - top > 5 ? 1 : 0;
    return { left, top, right: Math.max(left + 1, right - gap), bottom: Math.max(top + 1, bottom - gap) };
  }

  /** Outlines of the cursor, of the cell that was taken, and of where it would be dropped. */
  private mark(): void {
    const [context, theme] = [this.overlay.getContext('2d'), this.theme];
    if (context === null || theme === undefined) return;
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    const line = (cell: { x: number; y: number } | undefined, color: string, dash: number[]) => {
      if (cell === undefined) return;
      const { left, top, right, bottom } = this.box(cell.x, cell.y);
      context.strokeStyle = color;
      context.lineWidth = 2 * devicePixelRatio;
      context.setLineDash(dash);
      context.strokeRect(left - 1, top - 1, right - left + 2, bottom - top + 2);
    };
    line(this.taken, theme.third, [4, 3]);
    line(this.drag?.moved === true ? this.drag.from : undefined, theme.third, [4, 3]);
    if (this.drag?.moved === true || document.activeElement === this.canvas) line(this.cursor, theme.focus, []);
  }

  private cellAt({ offsetX, offsetY }: MouseEvent): MapCell | undefined {
    const projection = this.projection;
    if (projection === undefined) return undefined;
    const { x, y, cells } = projection;
    const column = Math.floor((offsetX / this.canvas.clientWidth) * x.count);
    const row = y.count - 1 - Math.floor((offsetY / this.canvas.clientHeight) * y.count);
    return cells.get(row * x.count + column);
  }

  private moved(event: PointerEvent): void {
    const cell = this.cellAt(event);
    const drag = this.drag;
    if (drag !== undefined) {
      if (!drag.moved && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) > DRAG_PX) {
        drag.moved = true;
        this.canvas.classList.add('dragging');
        this.events.taken(drag.from);
      }
      if (drag.moved) this.cursor = cell ?? this.cursor;
      this.mark();
    }
    this.events.active(cell, 'pointer', { x: event.offsetX, y: event.offsetY });
  }

  private pressed(event: PointerEvent): void {
    const from = event.button === 0 ? this.cellAt(event) : undefined;
    if (from === undefined) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { from, x: event.offsetX, y: event.offsetY, moved: false };
    this.cursor = from;
  }

  private released(event: PointerEvent): void {
    const drag = this.drag;
    const cell = this.cellAt(event);
    this.endDrag();
    if (drag === undefined) return;
    if (!drag.moved) this.events.review(drag.from);
    else if (cell !== undefined && (cell.x !== drag.from.x || cell.y !== drag.from.y)) this.events.cross(drag.from, cell);
  }

  private endDrag(): void {
    if (this.drag?.moved === true) this.events.taken(this.taken);
    this.drag = undefined;
    this.canvas.classList.remove('dragging');
    const held = this.held;
    this.held = undefined;
    if (held === undefined) this.mark();
    else this.show(held.projection, held.theme);
  }

  private focused(): void {
    this.cursor ??= this.best();
    this.tell();
  }

  private best(): MapCell | undefined {
    let best: MapCell | undefined;
    for (const cell of this.projection?.cells.values() ?? []) {
      if (best === undefined || cell.best.fitness > best.best.fitness) best = cell;
    }
    return best;
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const current = this.cursor;
    if (step !== undefined) this.go(step[0] ?? 0, step[1] ?? 0);
    else if (event.key === 'Home') this.cursor = this.best();
    else if (event.key === 'Escape') this.take(undefined);
    else if (current === undefined) return;
    else if (event.key === 'Enter') this.events.review(current);
    else if (event.key === 'l' || event.key === 'L') this.events.lineage(current);
    else if (event.key === 'x' || event.key === 'X' || event.key === ' ') this.takeOrCross(current);
    else return;
    event.preventDefault();
    this.tell();
  }

  private takeOrCross(cell: MapCell): void {
    const taken = this.taken;
    this.take(taken === undefined ? cell : undefined);
    if (taken !== undefined && taken.best.sha256 !== cell.best.sha256) this.events.cross(taken, cell);
  }

  private take(cell: MapCell | undefined): void {
    this.taken = cell;
    this.events.taken(cell);
    this.mark();
  }

  /** To the nearest held cell in that direction; straight on counts less than aside. */
  private go(dx: number, dy: number): void {
    const from = this.cursor;
    if (from === undefined) {
      this.cursor = this.best();
      return;
    }
    let nearest: { cell: MapCell; distance: number } | undefined;
    for (const cell of this.projection?.cells.values() ?? []) {
      const ahead = (cell.x - from.x) * dx + (cell.y - from.y) * dy;
      const aside = Math.abs((cell.x - from.x) * dy) + Math.abs((cell.y - from.y) * dx);
      const distance = ahead + 3 * aside;
      if (ahead > 0 && (nearest === undefined || distance < nearest.distance)) nearest = { cell, distance };
    }
    this.cursor = nearest?.cell ?? from;
  }

  private tell(): void {
    this.mark();
    const cell = this.cursor;
    const { left, bottom } = cell === undefined ? { left: 0, bottom: 0 } : this.box(cell.x, cell.y);
    this.events.active(cell, 'keys', { x: left / devicePixelRatio, y: bottom / devicePixelRatio });
  }
}
