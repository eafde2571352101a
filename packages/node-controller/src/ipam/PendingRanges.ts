import type { Node } from "@rollcall/api"
import type { Proposal } from "./RangeAllocator.ts"

/** Blocks that were taken for one Node. */
export interface PendingRange {
  readonly uid: string | undefined
  readonly proposal: Proposal
  /** The API has said that the Node has them. Otherwise a request was made whose outcome is not known. */
  readonly written: boolean
}

/**
 * Blocks on their way to Nodes: from the request until the Node is seen with them. A watch is behind what was written, and an
 * answer can be lost: a Node that looks as if it had no blocks is given those that it may have already, and no others.
 */
export class PendingRanges {
  private readonly byName = new Map<string, PendingRange>()

  of({ metadata: { name = "", uid } }: Node): PendingRange | undefined {
    const pending = this.byName.get(name)
    return pending?.uid === uid ? pending : undefined
  }

  set({ metadata: { name = "", uid } }: Node, proposal: Proposal, written: boolean): void {
    this.byName.set(name, { uid, proposal, written })
  }

  /** What was on its way is there, or is not any more. */
  take(node: Node): PendingRange | undefined {
    const pending = this.of(node)
    if (pending !== undefined) this.byName.delete(node.metadata.name ?? "")
    return pending
  }
}
