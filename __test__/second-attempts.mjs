// A reporter that names the tests of which the first attempt failed and the second did not, in CI where there is one.

export default class {
  /** @param {ReadonlyArray<import('vitest/node').TestModule>} modules */
  onTestRunEnd(modules) {
    const found = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}\n${reasons(test)}`),
    );
    if (found.length > 0) console.log(`\nPassed in a second attempt only, to be mended:\n${found.join('\n')}`);
  }
}

const reasons = (test) => (test.result().errors ?? []).map(({ message }) => `    ${message.split('\n')[0]}`).join('\n');
