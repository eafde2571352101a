import { readFileSync } from "node:fs"

/** Returns the size of a PNG or an SVG in pixels, so that a browser leaves room for it; undefined if the file does not tell it. */
export const sizeOf = (file: string): readonly [width: number, height: number] | undefined => {
  const bytes = readFileSync(file)
  // Width and height are the first fields of the first chunk of a PNG, IHDR.
  if (file.endsWith(".png")) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const [, width, height] = /<svg[^>]*viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(bytes.toString("utf8")) ?? []
  if (width === undefined || height === undefined) return undefined
  return [Math.round(Number(width)), Math.round(Number(height))]
}
