/** How a draft writes names, numbers and lists. */

/** `$9`, `$1.50`. */
export const money = (cents: number): string => cents % 100 === 0 ? `$${cents / 100}` : `$${(cents / 100).toFixed(2)}`

/** The word with a capital. */
export const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** `a, b and c`. */
export const series = (parts: ReadonlyArray<string>, joint: "and" | "or"): string => {
  const last = parts.at(-1) ?? ""
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} ${joint} ${last}`
}

/** An item's name for more than one: `rye loaves`. */
export const plural = (name: string): string => {
  if (name.endsWith("s")) return name
  if (name.endsWith("loaf")) return `${name.slice(0, -1)}ves`
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return /(x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`
}

/** An item's name for one: `rye loaf`. */
export const singular = (name: string): string => {
  if (name.endsWith("loaves")) return `${name.slice(0, -3)}f`
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`
  return name.endsWith("s") && !name.endsWith("ss") ? name.slice(0, -1) : name
}
