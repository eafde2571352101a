import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { slow } from "./slow.ts"

/** Runs the slow files first, in their order; all others as vitest does, by how long they took the last time or by their size. */
export class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const at = slow.indexOf(relative(this.ctx.config.root, moduleId))
      return (project.config.sequence.groupOrder ?? 0) * (slow.length + 1) + (at === -1 ? slow.length : at)
    }
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right))
  }
}
