import type { Container } from "../objects/Container.ts"
import type { PodSpec } from "../objects/Pod.ts"

/** Visits all containers of a pod, the init containers first. */
export const visitContainers = (
  spec: PodSpec,
  path: string,
  visitor: (container: Container, path: string) => void
): void => {
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    spec[list]?.forEach((container, index) => void visitor(container as Container, `${path}.${list}[${index}]`))
  }
}
