import type { Pod } from "@rollcall/api"
import { ForwardingRuntime } from "../runtime/ForwardingRuntime.ts"
import type { PodObserver, PodRuntime } from "../runtime/PodRuntime.ts"
import { type Answers, pullSecretsProblem, variableProblemOf } from "./problems.ts"
import { pullSecrets, type Reference, variableReferences } from "./Reference.ts"
import { VolumeManager, type VolumeManagerParts } from "./VolumeManager.ts"

/** Whether a pod may refer to ConfigMaps or Secrets: all that a kubelet asks of most pods. */
const mayRefer = ({ spec: { containers, imagePullSecrets, volumes } }: Pod): boolean =>
  (volumes !== undefined && volumes.length > 0) ||
  (imagePullSecrets !== undefined && imagePullSecrets.length > 0) ||
  containers.some(({ env, envFrom }) => env !== undefined || envFrom !== undefined)

const NONE: ReadonlyArray<Reference> = []
const nothing: Answers = () => "unreadable"

/**
 * A runtime in which the volumes of a pod are set up before its sandbox is made. A pod whose containers lack what their variables refer
 * to is started container by container, also if it could be started as a whole. Upstream: SyncPod of pkg/kubelet/kubelet.go.
 */
export class MountingRuntime extends ForwardingRuntime {
  private readonly partsOf: () => VolumeManagerParts
  /** Created for the first pod with references. */
  private created: VolumeManager | undefined = undefined

  constructor(inner: PodRuntime, partsOf: () => VolumeManagerParts) {
    super(inner)
    this.partsOf = partsOf
  }

  override start(pod: Pod, observer: PodObserver): void {
    if (!mayRefer(pod)) {
      this.inner.start(pod, observer)
      return
    }
    const variables = pod.spec.containers.flatMap(variableReferences)
    this.whenMounted(pod, observer, variables, (answers) => {
      const { namespace = "" } = pod.metadata
      const { containers } = this.inner
      if (containers === undefined || variableProblemOf(namespace, variables, answers) === undefined) {
        this.inner.start(pod, observer)
      } else containers.startSandbox(pod, observer)
    })
  }

  override startSandbox(pod: Pod, observer: PodObserver): void {
    this.whenMounted(pod, observer, NONE, () => this.inner.containers?.startSandbox(pod, observer))
  }

  /** Stops a pod. Of one whose volumes are not set up nothing runs. */
  override stop(pod: Pod, graceSeconds: number, observer: PodObserver): void {
    const isWaiting = this.created?.cancel(pod, () => observer.stopped(0)) === true
    if (!isWaiting) this.inner.stop(pod, graceSeconds, observer)
  }

  override powerOff(): void {
    this.created?.clear()
    this.inner.powerOff()
  }

  private whenMounted(
    pod: Pod,
    observer: PodObserver,
    variables: ReadonlyArray<Reference>,
    start: (answers: Answers) => void
  ): void {
    if (!mayRefer(pod)) {
      start(nothing)
      return
    }
    const secrets = pullSecrets(pod)
    const warn = (reason: string, message: string) => observer.warned(reason, message)
    this.volumes.mount(pod, [...secrets, ...variables], warn, (answers) => {
      const problem = pullSecretsProblem(secrets, answers)
      if (problem !== undefined) observer.warned("FailedToRetrieveImagePullSecret", problem)
      start(answers)
    })
  }

  private get volumes(): VolumeManager {
    this.created ??= new VolumeManager(this.partsOf())
    return this.created
  }
}
