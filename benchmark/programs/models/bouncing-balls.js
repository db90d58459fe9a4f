// Particles with velocities in a box.
class Vector {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  add(other) {
    return new Vector(this.x + other.x, this.y + other.y);
  }
  scale(factor) {
    return new Vector(this.x * factor, this.y * factor);
  }
  get length() {
    return Math.hypot(this.x, this.y);
  }
}
class Ball {
  constructor(position, velocity) {
    this.position = position;
    this.velocity = velocity;
    this.bounces = 0;
  }
  step(dt) {
    this.position = this.position.add(this.velocity.scale(dt));
    if (this.position.x < 0 || this.position.x > 100) {
      this.velocity = new Vector(-this.velocity.x, this.velocity.y);
      this.bounces++;
    }
    if (this.position.y < 0 || this.position.y > 100) {
      this.velocity = new Vector(this.velocity.x, -this.velocity.y);
      this.bounces++;
    }
  }
}
const balls = [];
for (let i = 0; i < 200; i++)
  balls.push(new Ball(new Vector(i / 2, (i * 7) % 100), new Vector(1 + (i % 5), 2 - (i % 3))));
for (let t = 0; t < 4000; t++) {
  for (const ball of balls) ball.step(0.1);
}
const speed = balls.reduce((sum, ball) => sum + ball.velocity.length, 0);
return [balls.reduce((sum, ball) => sum + ball.bounces, 0), speed.toFixed(4)];
