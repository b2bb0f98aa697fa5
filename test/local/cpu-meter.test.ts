import { expect, it } from 'vitest'
import { CpuMeter } from '../../src/local/cpu-meter.ts'

it('adds up all processes of a job, without the time that a press process used before', () => {
  const meter = new CpuMeter()
  meter.note(1, 5000, 5000)
  expect(meter.take()).toBe(0)
  meter.note(1, 5300)
  meter.note(2, 1000)
  expect(meter.take()).toBe(1300)
  meter.note(3, 200)
  meter.note(1, 5350)
  expect(meter.take()).toBe(250)
  expect(meter.take()).toBe(0)
})

it('reports again what could not be reported', () => {
  const meter = new CpuMeter()
  meter.note(1, 700)
  meter.giveBack(meter.take())
  meter.note(1, 900)
  expect(meter.take()).toBe(900)
})
