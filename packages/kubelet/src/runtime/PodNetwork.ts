const FIRST_HOST = 2

const toNumber = (address: string): number => address.split(".").reduce((total, part) => total * 256 + Number(part), 0)

const toText = (address: number): string =>
  [address / 0x1000000, address / 0x10000, address / 0x100, address].map((part) => Math.floor(part) % 256).join(".")

/** Hands out the addresses of a node's pods, in turn, so that an address is not used again soon. */
export class PodNetwork {
  private base: number
  private used = new Uint8Array(64)
  private next = FIRST_HOST

  /** `cidr`: an IPv4 range such as `10.244.3.0/24`. Its size is not heeded: who hands it out limits the pods. */
  constructor(cidr: string) {
    this.base = toNumber(cidr.split("/")[0] ?? "")
  }

  /** Addresses are taken from another range from now on. Those handed out stay. */
  setRange(cidr: string): void {
    const base = toNumber(cidr.split("/")[0] ?? "")
    if (Number.isNaN(base)) return
    this.base = base
    this.clear()
  }

  /** Nobody has an address any more. */
  clear(): void {
    this.used.fill(0)
    this.next = FIRST_HOST
  }

  take(): string {
    for (let tried = 0; tried < this.used.length; tried++) {
      const host = this.next
      this.next = host + 1 < this.used.length ? host + 1 : FIRST_HOST
      if (this.used[host] === 1) continue
      this.used[host] = 1
      return toText(this.base + host)
    }
    const larger = new Uint8Array(this.used.length * 2)
    larger.set(this.used)
    this.next = this.used.length
    this.used = larger
    return this.take()
  }

  give(address: string): void {
    const host = toNumber(address) - this.base
    if (host >= 0 && host < this.used.length) this.used[host] = 0
  }
}
