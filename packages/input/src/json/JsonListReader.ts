import { ListItem } from "./ListItem.ts"
import { SharedParts } from "./SharedParts.ts"

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const LAST_SPACE = 0x20

/** Has 1 for each character that neither begins nor ends a string, a list or an object. */
const NOTHING = new Uint8Array(0x80).fill(1)
for (const code of [QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) NOTHING[code] = 0

/** The longest item, in characters. */
const MAX_LENGTH = 64 * 1024 * 1024

/** How deep the items of the list are nested. */
const ITEMS = 2

/**
 * Reads the JSON of an object with a list of objects in `items`, as kubectl writes it, in chunks: the text may be longer than
 * a string can be. Equal values within items are one value, because the pods of a template differ in little.
 */
export class JsonListReader {
  private readonly parts = new SharedParts()
  private readonly item = new ListItem()
  /** The part of the text that is still needed. */
  private text = ""
  /** The offset of the next character to look at. */
  private at = 0
  /** The first character of the item, or of the text outside of items. */
  private from = 0
  private stringFrom = 0
  private depth = 0
  private inString = false
  /** Whether only white space or an item may follow. */
  private awaitsItem = false
  private items: Array<unknown> | undefined
  private inItems = false
  private outside = ""

  /** Reads a chunk. Returns false if the text is no such list, or is no JSON. */
  push(chunk: string): boolean {
    const { at, from, text } = this
    if (text.length - from > MAX_LENGTH) return false
    this.text = text.slice(from) + chunk
    this.at = at - from
    this.stringFrom -= from
    this.item.shift(from)
    this.from = 0
    try {
      return this.read()
    } catch {
      return false
    }
  }

  /** Returns the whole value; undefined if the text is no such list. */
  end(): unknown {
    if (this.depth > 0 || this.items === undefined) return undefined
    try {
      const value = JSON.parse(this.outside + this.text.slice(this.from))
      value.items = this.items
      return value
    } catch {
      return undefined
    }
  }

  private read(): boolean {
    const { text } = this
    while (this.at < text.length) {
      if (this.inString) this.readString()
      else {
        const code = this.skip()
        if (this.at < text.length && !this.readSign(code)) return false
      }
    }
    return true
  }

  /** Skips what means nothing within an item: white space, numbers, and the signs between values. Returns what follows. */
  private skip(): number {
    const { text } = this
    let { at } = this
    let code = text.charCodeAt(at)
    if (this.inItems && this.depth > ITEMS) while (NOTHING[code] === 1) code = text.charCodeAt(++at)
    this.at = at
    return code
  }

  /** Reads a character outside of strings. Returns false if it may not be there. */
  private readSign(code: number): boolean {
    if (code === QUOTE) {
      this.inString = true
      this.stringFrom = this.at
      if (!this.isExpected()) return false
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (!this.open(code)) return false
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (!this.close()) return false
    } else if (code > LAST_SPACE && !this.isExpected(code)) return false
    this.at++
    return true
  }

  /** Reads to the end of the string, or of the text. */
  private readString(): void {
    const { text } = this
    let { at } = this
    while (at < text.length) {
      const code = text.charCodeAt(at++)
      if (code === BACKSLASH) at++
      else if (code === QUOTE) {
        this.inString = false
        this.item.lastString(this.stringFrom + 1, at - 1)
        break
      }
    }
    this.at = at
  }

  /** Whether a character may be where it is: between items nothing but a comma may be, and after the whole nothing. */
  private isExpected(code?: number): boolean {
    if (this.depth === 0) return false
    if (!this.inItems || this.depth > ITEMS) return true
    if (code !== COMMA || this.awaitsItem) return false
    this.awaitsItem = true
    return true
  }

  private open(code: number): boolean {
    const { item } = this
    const depth = this.depth++
    if (depth === 0) return code === OPEN_OBJECT && this.outside === "" && this.items === undefined
    if (!this.inItems) {
      if (depth === 1 && code === OPEN_LIST && item.isLastString(this.text, "items")) return this.beginItems()
      return true
    }
    if (depth === ITEMS) {
      if (code !== OPEN_OBJECT || !this.awaitsItem) return false
      this.from = this.at
      item.begin()
    } else {
      const length = item.open(this.text, depth - ITEMS, this.at, code === OPEN_OBJECT)
      if (length > 0) {
        this.depth--
        this.at += length - 1
      }
    }
    return true
  }

  private beginItems(): boolean {
    if (this.items !== undefined) return false
    this.items = []
    this.inItems = true
    this.awaitsItem = true
    this.outside += this.text.slice(this.from, this.at + 1)
    this.from = this.at + 1
    return true
  }

  private close(): boolean {
    const depth = --this.depth
    if (depth < 0) return false
    if (!this.inItems) return true
    const { item, items = [] } = this
    if (depth > ITEMS) item.close(depth - ITEMS, this.at + 1)
    else if (depth === ITEMS) {
      items.push(item.value(this.text, this.from, this.at + 1, this.parts))
      this.awaitsItem = false
      this.from = this.at + 1
    } else {
      if (this.awaitsItem && items.length > 0) return false
      this.inItems = false
      this.from = this.at
    }
    return true
  }
}
