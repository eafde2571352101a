import type { KubeObject } from "@rollcall/api"

/** The JSON of objects that were listed: immutable as they are, each is written once for all lists that it appears in. */
const written = new WeakMap<KubeObject, string>()

/** The JSON of an object that will be asked for again. */
export const listedJson = (object: KubeObject): string => {
  const known = written.get(object)
  if (known !== undefined) return known
  const json = JSON.stringify(object)
  written.set(object, json)
  return json
}

/** The JSON of an object, taken from a list if it was in one. */
export const objectJson = (object: KubeObject): string => written.get(object) ?? JSON.stringify(object)

/** A list of so many is put together in bytes: as one text it would be copied again and again on its way. */
const MANY = 64
const COMMA = 44

/** A list as JSON. */
export const listJson = (list: object, items: ReadonlyArray<KubeObject>): string | Buffer => {
  const { items: _, ...head } = list as { readonly items: unknown }
  const start = `${JSON.stringify(head).slice(0, -1)},"items":[`
  const texts = items.map(listedJson)
  return texts.length < MANY ? `${start}${texts.join(",")}${END}` : bytesOf(start, texts)
}

const END = "]}\n"

const bytesOf = (start: string, texts: ReadonlyArray<string>): Buffer => {
  let size = Buffer.byteLength(start) + texts.length - 1 + END.length
  for (const text of texts) size += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size)
  let at = bytes.write(start)
  texts.forEach((text, index) => {
    if (index > 0) bytes[at++] = COMMA
    at += bytes.write(text, at)
  })
  bytes.write(END, at)
  return bytes
}
