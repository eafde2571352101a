import { maxDepth, putMember } from "@rollcall/api/wire"
import type { Steps } from "@rollcall/time"
import type { EventParser, YamlEvent } from "./EventParser.ts"
import {
  ConversionFault,
  goSyntax,
  nameOfNumber,
  resolvePlain,
  resolveTagged,
  YamlFault,
  type YamlScalar
} from "./scalars.ts"

/** A key that occurs again in a map, and the line on which its value there begins, from zero. */
export interface DuplicateKey {
  /** The key as Go's `%#v` writes it. */
  readonly key: string
  readonly line: number
}

/**
 * A value and the cost of decoding it: `nodes` is its number of scalars, lists and maps, `bytes` the length of its
 * text. Aliased values are counted at each use.
 */
interface Node {
  readonly value: unknown
  readonly nodes: number
  readonly bytes: number
  /** The nesting depth of lists and maps in it. */
  readonly height: number
  /** The merge key `<<` of a mapping. */
  readonly isMerge?: boolean
}

/** A list, map or document whose end has not been read; `list` or `map` is its value, by kind. */
interface Frame {
  readonly kind: "document" | "list" | "map"
  readonly list: Array<unknown>
  readonly map: Record<string, unknown>
  readonly keys: Set<unknown>
  readonly anchor: string | undefined
  /** The key of a map whose value has not been read. */
  key: Node | undefined
  /** The line on which it begins. */
  readonly line: number
  /** The lines of the values of a map with an anchor, by their names. */
  readonly lines: Map<string, number> | undefined
  nodes: number
  bytes: number
  height: number
}

/** The number of events between two yields. */
const EVENTS_PER_STEP = 4096

/**
 * The fraction of a document that aliases may make up, by its decoded size. Upstream: goyaml.v2/decode.go,
 * allowedAliasRatio.
 */
const allowedAliasRatio = (decoded: number): number => {
  if (decoded <= 400_000) return 0.99
  if (decoded >= 4_000_000) return 0.1
  return 0.99 - 0.89 * ((decoded - 400_000) / 3_600_000)
}

/** The maximum length of text by way of aliases: the limit of a body. Upstream has no limit. */
const MAX_ALIASED_BYTES = 3 * 1024 * 1024

/** Go's strict decoders report at most this number of errors. */
const MAX_DUPLICATE_KEYS = 100

/** Builds the value of one document from its events, in constant time for each. */
export class YamlBuilder {
  readonly duplicateKeys: Array<DuplicateKey> = []
  private readonly frames: Array<Frame> = []
  /** Values by the name of their anchor; undefined while the value is being built. */
  private readonly anchors = new Map<string, Node | undefined>()
  /** The lines of the values of maps with an anchor. */
  private readonly lines = new Map<unknown, ReadonlyMap<string, number>>()
  /** The number of nodes, and of those that aliases contributed. */
  private decoded = 0
  private aliased = 0
  private aliasedBytes = 0
  /** The first error of decoding: goyaml decodes a document when it has read it. */
  private decodeFault: YamlFault | undefined
  /** Why a map, or a number, has no form in JSON. */
  private keyFault: ConversionFault | undefined
  private valueFault: ConversionFault | undefined;

  /** Builds the value of the first document. Throws YamlFault, or what the parser throws. */
  *buildInSteps(parser: EventParser): Steps<unknown> {
    let count = 0
    for (let event = parser.next(); event.type !== "streamEnd"; event = parser.next()) {
      if (++count % EVENTS_PER_STEP === 0) yield
      switch (event.type) {
        case "document":
          this.frames.push(frameOf("document", undefined, event.line))
          break
        case "list":
        case "map":
          this.open(event.type, event)
          break
        case "scalar":
          this.scalar(event)
          break
        case "alias":
          this.add(this.alias(event.anchor ?? ""), event.line)
          break
        case "end": {
          const frame = this.frames.pop() as Frame
          if (frame.kind === "document") {
            const fault = this.decodeFault ?? this.keyFault ?? this.valueFault
            if (fault !== undefined) throw fault
            return frame.list[0] ?? null
          }
          const value = frame.kind === "list" ? frame.list : frame.map
          const node = { value, nodes: frame.nodes, bytes: frame.bytes, height: frame.height + 1 }
          if (frame.lines !== undefined) this.lines.set(value, frame.lines)
          if (frame.anchor !== undefined) this.anchors.set(frame.anchor, node)
          this.add(node, frame.line)
        }
      }
    }
    return null
  }

  private open(kind: "list" | "map", { anchor, line }: YamlEvent): void {
    if (this.frames.length > maxDepth) throw new YamlFault(`exceeded max depth of ${maxDepth}`)
    if (anchor !== undefined) this.anchors.set(anchor, undefined)
    this.decoded++
    this.frames.push(frameOf(kind, anchor, line))
  }

  private scalar({ anchor, isPlain, line, tag, value: text }: YamlEvent): void {
    const value = tag === undefined ? (isPlain ? resolvePlain(text) : text) : this.tagged(tag, text)
    const isMerge = text === "<<" && ((isPlain && tag === undefined) || tag === "!!merge")
    const node = { value, nodes: 1, bytes: text.length, height: 0, isMerge }
    if (anchor !== undefined) this.anchors.set(anchor, node)
    this.decoded++
    this.add(node, line)
  }

  private tagged(tag: string, text: string): YamlScalar {
    try {
      return resolveTagged(tag, text)
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error
      this.decodeFault ??= error
      return null
    }
  }

  private refuse(message: string): void {
    this.decodeFault ??= new YamlFault(message)
  }

  private alias(name: string): Node {
    if (!this.anchors.has(name)) throw new YamlFault(`unknown anchor '${name}' referenced`)
    const node = this.anchors.get(name)
    if (node === undefined) {
      this.refuse(`anchor '${name}' value contains itself`)
      return { value: null, nodes: 1, bytes: 0, height: 0 }
    }
    this.countAlias(node)
    if (this.frames.length + node.height > maxDepth + 1) throw new YamlFault(`exceeded max depth of ${maxDepth}`)
    return { ...node, nodes: node.nodes + 1, isMerge: false }
  }

  /** Adds the cost of an aliased value; throws if aliases make up too much of the document. */
  private countAlias({ bytes, nodes }: Node): void {
    this.decoded += nodes + 1
    this.aliased += nodes
    this.aliasedBytes += bytes
    // Upstream's limits: small documents may consist of aliases.
    const excessive =
      this.aliased > 100 && this.decoded > 1000 && this.aliased / this.decoded > allowedAliasRatio(this.decoded)
    if (excessive || this.aliasedBytes > MAX_ALIASED_BYTES) {
      throw new YamlFault("document contains excessive aliasing")
    }
  }

  private add(node: Node, line: number): void {
    const frame = this.frames.at(-1) as Frame
    frame.nodes += node.nodes
    frame.bytes += node.bytes
    frame.height = Math.max(frame.height, node.height)
    const isKey = frame.kind === "map" && frame.key === undefined
    if (!isKey && typeof node.value === "number" && !Number.isFinite(node.value)) {
      const shown = Number.isNaN(node.value) ? "NaN" : node.value > 0 ? "+Inf" : "-Inf"
      this.valueFault ??= new ConversionFault(`json: unsupported value: ${shown}`)
    }
    if (frame.kind !== "map") frame.list.push(node.value)
    else if (frame.key === undefined) frame.key = node
    else {
      const { key } = frame
      frame.key = undefined
      if (key.isMerge === true) this.merge(frame, node, line)
      else this.member(frame, key.value, node.value, line)
    }
  }

  private member(frame: Frame, key: unknown, value: unknown, line: number) {
    if (typeof key === "object" && key !== null) return this.refuse(`invalid map key: ${goSyntax(key)}`)
    if (key === null) {
      const shown = `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value)}`
      this.keyFault = new ConversionFault(shown)
    }
    const name = typeof key === "number" ? nameOfNumber(key) : String(key)
    if (frame.keys.has(key) && this.duplicateKeys.length < MAX_DUPLICATE_KEYS) {
      this.duplicateKeys.push({ key: goSyntax(key), line })
    }
    frame.keys.add(key)
    frame.lines?.set(name, line)
    putMember(frame.map, name, value)
  }

  /** Handles the merge key `<<`: sets the members of other maps, as if they were written there; the first map wins. */
  private merge(frame: Frame, { value }: Node, line: number) {
    for (const source of Array.isArray(value) ? value.toReversed() : [value]) {
      if (typeof source !== "object" || source === null || Array.isArray(source)) {
        return this.refuse("map merge requires map or sequence of maps as the value")
      }
      for (const [name, member] of Object.entries(source)) {
        this.member(frame, name, member, this.lines.get(source)?.get(name) ?? line)
      }
    }
  }
}

const frameOf = (kind: Frame["kind"], anchor: string | undefined, line: number): Frame => ({
  kind,
  anchor,
  line,
  lines: anchor === undefined ? undefined : new Map(),
  list: [],
  map: {},
  keys: new Set(),
  key: undefined,
  nodes: 1,
  bytes: 0,
  height: 0
})
