import { notListening, type ProbeComponent, type ProbedComponent } from "@rollcall/api-server/http"
import type { Component } from "@rollcall/control-plane"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

interface ComponentProbesShape {
  /** Adds components; those called kube-controller-manager and kube-scheduler are probed. */
  readonly add: (components: ReadonlyArray<Component>) => void
  readonly probe: ProbeComponent
}

const names: Readonly<Record<ProbedComponent, string>> = {
  "controller-manager": "kube-controller-manager",
  scheduler: "kube-scheduler"
}

/**
 * The components that run in the server's own process, where they listen on no port. The server starts before them, so
 * they are added later. Without this service the server probes the ports of its machine.
 */
export class ComponentProbes extends Context.Service<ComponentProbes, ComponentProbesShape>()(
  "@rollcall/components/ComponentProbes"
) {
  static readonly layer = Layer.sync(ComponentProbes, () => {
    const added: Array<Component> = []
    return ComponentProbes.of({
      add: (components) => void added.push(...components),
      probe: async (component) =>
        added.some(({ isRunning, name }) => name === names[component] && isRunning())
          ? { isHealthy: true, message: "ok" }
          : notListening(component)
    })
  })
}
