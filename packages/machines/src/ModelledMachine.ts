import type { Node } from "@rollcall/api"
import type { ControlledHost, ModelledKubelet, PressureKind } from "@rollcall/kubelet"
import type { ResourceManagers } from "@rollcall/topology"
import type { InitialHealth } from "./InitialHealth.ts"
import type { Link } from "./link/Link.ts"
import type { Machine } from "./Machine.ts"
import type { MachineShutdown } from "./shutdown/MachineShutdown.ts"

/** The parts of a modelled machine. */
export interface ModelledMachineParts
  extends Pick<Machine, "name" | "group" | "host" | "link" | "shutdown" | "managers" | "registered"> {
  readonly kubelet: ModelledKubelet
  /** Its health problems in the snapshot; undefined if it had none. */
  readonly health: InitialHealth | undefined
}

/** A machine whose power, clock, runtime and network are simulated and can be set. */
export class ModelledMachine implements Machine {
  readonly name: string
  readonly group: string | undefined
  readonly host: ControlledHost
  readonly kubelet: ModelledKubelet
  readonly link: Link
  readonly shutdown: MachineShutdown
  readonly managers: ResourceManagers | undefined
  readonly registered: Node | undefined
  powered = true
  private readonly health: InitialHealth | undefined

  constructor({ group, health, host, kubelet, link, managers, name, registered, shutdown }: ModelledMachineParts) {
    this.name = name
    this.group = group
    this.host = host
    this.kubelet = kubelet
    this.link = link
    this.shutdown = shutdown
    this.managers = managers
    this.registered = registered
    this.health = health
  }

  start(): void {
    this.setInitialProblems(true)
    if (this.health?.isSilent === true) this.crash()
    else this.kubelet.startKubelet()
    this.shutdown.kubeletStarted?.()
  }

  crash(): void {
    if (!this.powered) return
    this.powered = false
    this.kubelet.powerLost()
  }

  boot(): void {
    this.setInitialProblems(false)
    if (this.powered) return
    this.powered = true
    this.host.booted()
    this.kubelet.booted()
    this.kubelet.startKubelet()
  }

  reconnect(): void {
    this.kubelet.reconnected()
  }

  setPressure(kind: PressureKind, underPressure: boolean): void {
    this.kubelet.pressure(kind, underPressure)
  }

  setRuntimeDown(down: boolean): void {
    this.kubelet.runtimeDown(down)
  }

  setNetworkUnavailable(unavailable: boolean): void {
    this.kubelet.networkUnavailable(unavailable)
  }

  setClockSkew(skewMs: number): void {
    this.kubelet.clockSkewed(skewMs)
  }

  /** Sets, or resets, the health problems that the machine had in the snapshot. */
  private setInitialProblems(areSet: boolean): void {
    const { health } = this
    if (health === undefined) return
    for (const pressure of health.pressures) this.setPressure(pressure, areSet)
    if (health.networkUnavailable) this.setNetworkUnavailable(areSet)
    if (health.isNotReady) this.setRuntimeDown(areSet)
  }
}
