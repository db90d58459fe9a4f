// `examples/smolagents.mjs`: what the program shows.

import { expect, test } from 'vitest';

import { spawnNode } from '../helpers.mjs';

test('an agent completes five steps, three of which fail', async () => {
  const { status, stdout, stderr } = await spawnNode(['examples/smolagents.mjs']);
  expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
  expect(stdout).toMatchInlineSnapshot(`
    "Step 1
    Thought: I will look up both cities.
    <code>
    const now = await Promise.all(cities.map((city) => population(city)));
    console.log(cities.lenght, 'cities');
    </code>
    Observation:
    Error:
    ERR_VALIDATION_FAILED: Code validation failed: Property 'lenght' does not exist on type 'string[]'. Did you mean 'length'? (line 2, column 20)
      |
    1 | const now = await Promise.all(cities.map((city) => population(city)));
    2 | console.log(cities.lenght, 'cities');
      |                    ^ Property 'lenght' does not exist on type 'string[]'. Did you mean 'length'?
    Hint: Write \`length\`
    Correct the cause in your next code block. If that has failed before, try a different approach.

    Step 2
    Thought: I will look up both cities, in the last census and in the one before.
    <code>
    const now = await Promise.all(cities.map((city) => population(city)));
    console.log(now);
    const before = [await population(cities[0], '2010')];
    </code>
    Observation:
    Error:
    ERR_VALIDATION_FAILED: Code validation failed: Argument of type 'string' is not assignable to parameter of type 'number'. (line 3, column 45)
      |
    1 | const now = await Promise.all(cities.map((city) => population(city)));
    2 | console.log(now);
    3 | const before = [await population(cities[0], '2010')];
      |                                             ^ Argument of type 'string' is not assignable to parameter of type 'number'.
    Hint: None of the code has run. Correct it and send all of it again.
    Correct the cause in your next code block. If that has failed before, try a different approach.

    Step 3
    Thought: The year has to be a number. Nothing has run yet, so I need \`now\` again.
    <code>
    const now = await Promise.all(cities.map((city) => population(city)));
    const before = await Promise.all(cities.map((city) => population({ city, year: 2010 })));
    const growth = cities.map((city, i) => ({ city, percent: Math.round((now[i] / before[i] - 1) * 100) }));
    growth
    </code>
    Observation:
    Execution logs:

    Last output from code snippet:
    [
      {
        "city": "Guangzhou",
        "percent": 47
      },
      {
        "city": "Shanghai",
        "percent": 8
      }
    ]

    Step 4
    The final answer is Guangzhou, which grew by 47 percent.</code>
    Observation:
    Error:
    There is no code in your answer: nothing was found between <code> and </code>.
    Your answer was:
    The final answer is Guangzhou, which grew by 47 percent.
    If this is the final answer, give it by calling final_answer in a code block, for instance:
    Thought: I know the answer and return it.
    <code>
    final_answer("YOUR FINAL ANSWER HERE");
    </code>

    Step 5
    Thought: I must call final_answer.
    <code>
    growth.sort((a, b) => b.percent - a.percent);
    console.log(await publish(\`\${growth[0].city} grew by \${growth[0].percent}%\`));
    final_answer(await draw_map(growth[0].city));
    </code>
    --- a person is asked about publish
    The program can call 3 tools:
    - population: any number of times, with any arguments
    - publish: once
        line 2: publish(…)
    - draw_map: once
        line 3: draw_map(…)
    --- the person approves the plan


    Final answer: (image, with the map)
    "
  `);
});
