import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "src/scripted-model/demo-project/**"],
    maxWorkers: 3, // many tests wait for processes and sockets, not for the processor
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
