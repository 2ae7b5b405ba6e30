/**
 * Points as a fraction of the points possible: the number nearest to the exact quotient of their
 * decimals. Dividing 0.1 by 0.3 as they are would give 0.33333333333333337.
 */
export function fractionOfPoints(points: number, possible: number): number {
  if (Number.isInteger(points) && Number.isInteger(possible)) return points / possible;
  const places = Math.max(decimalsOf(points), decimalsOf(possible));
  const [one, other] = [scaled(points, places), scaled(possible, places)];
  // Dividing two exact whole numbers gives the nearest number.
  const isExact = Number.isSafeInteger(one) && Number.isSafeInteger(other);
  return isExact ? one / other : points / possible;
}

function decimalsOf(value: number): number {
  return /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;
}

/** The value times a power of ten, by its digits; NaN if it is written with an exponent. */
function scaled(value: number, places: number): number {
  const [whole = '', decimals = ''] = String(value).split('.');
  return Number(/e/.test(whole + decimals) ? 'NaN' : whole + decimals.padEnd(places, '0'));
}
