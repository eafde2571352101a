import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@rollcall/api"

/** Claims and the volumes that they are bound to, as far as they say where pods may run. */
export class Volumes {
  private readonly claims = new Map<string, PersistentVolumeClaim>()
  private readonly volumes = new Map<string, PersistentVolume>()

  /** True while nobody has spoken of any claim: then nothing is known, rather than nothing there. */
  get isEmpty(): boolean {
    return this.claims.size === 0
  }

  setClaim(namespace: string, name: string, claim: PersistentVolumeClaim | undefined): void {
    const key = `${namespace}/${name}`
    if (claim === undefined) this.claims.delete(key)
    else this.claims.set(key, claim)
  }

  setVolume(name: string, volume: PersistentVolume | undefined): void {
    if (volume === undefined) this.volumes.delete(name)
    else this.volumes.set(name, volume)
  }

  volume(name: string): PersistentVolume | undefined {
    return this.volumes.get(name)
  }

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.claims.get(`${namespace}/${name}`)
  }
}

/** The names of the claims that a pod wants mounted; those of generic ephemeral volumes are named after the pod. */
export const claimNamesOf = ({ metadata, spec }: Pod): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (const { ephemeral, name, persistentVolumeClaim } of spec.volumes ?? []) {
    if (persistentVolumeClaim?.claimName !== undefined) names.push(persistentVolumeClaim.claimName)
    else if (ephemeral !== undefined) names.push(`${metadata.name ?? ""}-${name}`)
  }
  return names
}
