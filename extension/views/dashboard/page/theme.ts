/** The colours of the page as the editor's theme sets them. */

export interface Theme {
  readonly bg: string;
  readonly fg: string;
  readonly quiet: string;
  readonly line: string;
  readonly box: string;
  readonly accent: string;
  readonly second: string;
  readonly third: string;
  readonly focus: string;
  readonly font: string;
  readonly highContrast: boolean;
  /** From low to high; all can be told from the background. */
  readonly ramp: readonly string[];
}

const RAMP = 32;

export function readTheme(): Theme {
  const style = getComputedStyle(document.body);
  const value = (name: string) => style.getPropertyValue(name).trim();
  const { classList } = document.body;
  const highContrast =
    classList.contains('vscode-high-contrast') ||
    classList.contains('vscode-high-contrast-light') ||
    matchMedia('(forced-colors: active)').matches;
  const [bg, fg, accent] = [value('--bg'), value('--fg'), value('--accent')];
  return {
    bg,
    fg,
    quiet: highContrast ? fg : value('--quiet'),
    line: value('--line'),
    box: value('--box'),
    accent,
    second: value('--second'),
    third: value('--third'),
    focus: value('--focus'),
    font: style.fontFamily,
    highContrast,
    ramp: rampOf(bg, accent, fg),
  };
}

/** Calls back when the editor's theme or the system's colours change. */
export function onThemeChange(changed: () => void): void {
  new MutationObserver(changed).observe(document.body, { attributeFilter: ['class', 'data-vscode-theme-id'] });
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ['style'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
}

type Rgb = readonly [number, number, number];

/** From a tint of the background over the accent towards the text's colour: lightness rises or falls all the way. */
function rampOf(bg: string, accent: string, fg: string): string[] {
  const [from, over, to] = [mix(rgb(bg), rgb(accent), 0.22), rgb(accent), mix(rgb(accent), rgb(fg), 0.75)];
  return Array.from({ length: RAMP }, (_, i) => {
    const at = i / (RAMP - 1);
    const [r, g, b] = at < 0.7 ? mix(from, over, at / 0.7) : mix(over, to, (at - 0.7) / 0.3);
    return `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`;
  });
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

const pixel = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
  willReadFrequently: true,
});

/** Any colour that the browser knows, by painting it. */
function rgb(color: string): Rgb {
  if (pixel === null) return [128, 128, 128];
  pixel.fillStyle = '#808080';
  pixel.fillStyle = color;
  pixel.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = pixel.getImageData(0, 0, 1, 1).data;
  return [r, g, b];
}
