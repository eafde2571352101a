import { assert, describe, it } from "@effect/vitest"
import { formatTime, type IPAddress, type Service } from "@rollcall/api"
import { AddressBook } from "../src/apiserver/kept/AddressBook.ts"
import { repairAddresses } from "../src/apiserver/kept/repairAddresses.ts"

const NOW = Date.UTC(2026, 0, 1)
const ipOf = (n: number) => `10.96.0.${n}`

const service = (n: number, ip = ipOf(n)): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "default", name: `s${n}` },
  spec: { clusterIP: ip, clusterIPs: [ip] }
})

const address = (n: number, ageSeconds = 300): IPAddress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: {
    name: ipOf(n),
    labels: {
      "ipaddress.kubernetes.io/ip-family": "IPv4",
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"
    },
    creationTimestamp: formatTime(NOW - ageSeconds * 1000)
  },
  spec: { parentRef: { resource: "services", namespace: "default", name: `s${n}` } }
})

/** A book of Services 1 to 9 and their objects, which a pass has compared. */
const makeBook = () => {
  const book = new AddressBook()
  const numbers = Array.from({ length: 9 }, (_, index) => index + 1)
  book.addStored(
    numbers.map((n) => service(n)),
    numbers.map((n) => address(n))
  )
  pass(book, NOW, true)
  return book
}

/** A pass whose writes the book is not told of. */
const pass = (book: AddressBook, nowMs: number, comparesAll = false) => {
  const state = book.stateAt(nowMs, book.takeChanges(), comparesAll)
  const repairs = repairAddresses(state)
  const nextMs = book.keep(state, repairs)
  return {
    seen: [...state.seenServices, ...state.seenAddresses],
    deletes: repairs.deletes,
    creates: repairs.creates.map(([name]) => name),
    nextMs
  }
}

describe("the book of Services and the objects of their addresses", () => {
  it("looks at nothing when nothing has changed, and at a new Service alone", () => {
    const book = makeBook()
    assert.deepStrictEqual(pass(book, NOW), { seen: [], deletes: [], creates: [], nextMs: undefined })
    book.changeService(service(10), undefined)
    assert.deepStrictEqual(pass(book, NOW), {
      seen: ["default/s10"],
      deletes: [],
      creates: [ipOf(10)],
      nextMs: undefined
    })
  })

  it("looks at the objects of a Service that is gone, or that has another address", () => {
    const book = makeBook()
    book.changeService(undefined, service(3))
    book.changeService(service(4, ipOf(44)), service(4))
    const { creates, deletes, seen } = pass(book, NOW)
    assert.deepStrictEqual(seen, ["default/s3", "default/s4", ipOf(3), ipOf(4)])
    assert.deepStrictEqual([deletes, creates], [[ipOf(3), ipOf(4)], [ipOf(44)]])
  })

  it("looks again at an object when its Service may no longer be on its way", () => {
    const book = makeBook()
    book.changeAddress(address(20, 50), undefined)
    const { nextMs = 0 } = pass(book, NOW)
    assert.strictEqual(nextMs, NOW + 10_001)
    assert.deepStrictEqual(pass(book, nextMs - 1).seen, [])
    assert.deepStrictEqual(pass(book, nextMs).deletes, [ipOf(20)])
    book.changeAddress(undefined, address(20, 50))
    assert.deepStrictEqual(pass(book, nextMs + 1), { seen: [ipOf(20)], deletes: [], creates: [], nextMs: undefined })
  })

  it("looks again at what a pass took that failed", () => {
    const book = makeBook()
    book.changeService(service(10), undefined)
    const changes = book.takeChanges()
    book.giveBack(changes)
    assert.deepStrictEqual(pass(book, NOW).creates, [ipOf(10)])
  })

  it("looks at everything when all are compared", () => {
    const book = makeBook()
    book.changeAddress(undefined, address(5))
    assert.deepStrictEqual(pass(book, NOW).creates, [])
    const { creates, seen } = pass(book, NOW, true)
    assert.strictEqual(seen.length, 9 + 8)
    assert.deepStrictEqual(creates, [ipOf(5)])
  })

  it("is told what was stored before its first change only", () => {
    const book = new AddressBook()
    book.changeService(undefined, service(1))
    book.addStored([service(1)], [])
    assert.deepStrictEqual(pass(book, NOW, true).creates, [])
  })
})
