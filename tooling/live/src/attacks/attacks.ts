import type { Attack } from "./Attack.ts"
import { bodies } from "./themes/bodies.ts"
import { controllers } from "./themes/controllers.ts"
import { customResources } from "./themes/customResources.ts"
import { edges } from "./themes/edges.ts"
import { kubelet } from "./themes/kubelet.ts"
import { memory } from "./themes/memory.ts"
import { protocol } from "./themes/protocol.ts"
import { starving } from "./themes/starving.ts"
import { storms } from "./themes/storms.ts"

/** All attacks, by theme. */
export const attacks: ReadonlyArray<Attack> = [
  ...edges,
  ...controllers,
  ...storms,
  ...bodies,
  ...customResources,
  ...protocol,
  ...starving,
  ...memory,
  ...kubelet
]
