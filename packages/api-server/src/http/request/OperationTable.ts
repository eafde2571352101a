import { type OperationSource, type Operations, pathsOf } from "@rollcall/openapi/operations"
import type { RequestInfo } from "./RequestInfo.ts"

/** Finds the operations of a request's path. */
export class OperationTable {
  /** By `shapeOf` the path; of the resource itself. */
  private readonly byShape: Array<Operations | undefined> = []
  private readonly bySubresource = new Map<string, Operations>()
  /** The subresources after which any path may follow. */
  private readonly withPath = new Set<string>()
  private readonly namespaced: boolean

  constructor(source: OperationSource) {
    this.namespaced = source.namespaced
    for (const { operations, subresource, template, withPath } of pathsOf(source)) {
      if (withPath) this.withPath.add(subresource)
      if (subresource !== "") this.bySubresource.set(subresource, operations)
      else {
        const shape = shapeOf(
          template.startsWith("watch/"),
          template.includes("{namespace}"),
          template.endsWith("{name}")
        )
        this.byShape[shape] = operations
      }
    }
  }

  /** Returns the operations at a path; undefined if it is not registered. */
  at({ inNamespace, parts, prefix, subresource }: PathShape): Operations | undefined {
    if (prefix === "proxy") return undefined
    if (parts <= 2) return this.byShape[shapeOf(prefix === "watch", inNamespace, parts === 2)]
    if (prefix === "watch" || inNamespace !== this.namespaced) return undefined
    const operations = this.bySubresource.get(subresource)
    return parts === 3 || this.withPath.has(subresource) ? operations : undefined
  }
}

type PathShape = Pick<RequestInfo, "parts" | "inNamespace" | "prefix" | "subresource">

const shapeOf = (watch: boolean, inNamespace: boolean, named: boolean): number =>
  (watch ? 1 : 0) + (inNamespace ? 2 : 0) + (named ? 4 : 0)
