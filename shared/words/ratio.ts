/** How a ratio of speeds is written wherever a user reads one: two digits after the point, none from a hundred on. */

export function ratioDecimals(factor: number): 0 | 2 {
  return factor >= 100 ? 0 : 2;
}

/** `4.32`, not translated. */
export function ratioFigure(factor: number): string {
  return factor.toFixed(ratioDecimals(factor));
}

/** `4.32×`, not translated. */
export function times(factor: number): string {
  return `${ratioFigure(factor)}×`;
}
