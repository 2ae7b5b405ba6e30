/**
 * A JSON Schema, with no other properties than those it names: readers pass over others, but in a test
 * one without its schema is a mistake. What is below a name that is open may have more.
 */
export function closed(
  part: unknown,
  isOpen: (name: string) => boolean = () => false,
  isBelow = false,
): unknown {
  if (Array.isArray(part)) return part.map((each) => closed(each, isOpen, isBelow));
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(
    Object.entries(part).map(([name, each]) => [
      name,
      closed(each, isOpen, isBelow || isOpen(name)),
    ]),
  );
  const isShape =
    'properties' in inner && inner.type === 'object' && !('additionalProperties' in inner);
  return isShape && !isBelow ? { ...inner, additionalProperties: false } : inner;
}
