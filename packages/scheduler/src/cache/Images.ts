import type { Node } from "@rollcall/api"

/** An image that some node has. */
export interface ImageState {
  readonly sizeBytes: number
  readonly nodes: Set<string>
}

/** An index of the images on nodes. Upstream: pkg/scheduler/backend/cache/cache.go addNodeImageStates. */
export class Images {
  private readonly byName = new Map<string, ImageState>()

  get(name: string): ImageState | undefined {
    return this.byName.get(name)
  }

  /**
   * Replaces the images of a node; `node` is undefined if it was deleted. `before` is what the last call for the node
   * returned: the names of its images.
   */
  set(nodeName: string, before: ReadonlyArray<string>, node: Node | undefined): ReadonlyArray<string> {
    for (const name of before) {
      const state = this.byName.get(name)
      state?.nodes.delete(nodeName)
      if (state?.nodes.size === 0) this.byName.delete(name)
    }
    const names: Array<string> = []
    for (const { names: imageNames = [], sizeBytes = 0 } of node?.status?.images ?? []) {
      for (const name of imageNames) {
        const state = this.byName.get(name)
        if (state === undefined) this.byName.set(name, { sizeBytes, nodes: new Set([nodeName]) })
        else state.nodes.add(nodeName)
        names.push(name)
      }
    }
    return names
  }
}
