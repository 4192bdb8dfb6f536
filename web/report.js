// Draws a report from the data embedded in the page. One function per kind of section; nothing is loaded.
'use strict';

const palette = ['#2f6fde', '#e07a1f', '#2e9e6b', '#c0392b', '#7d55c7', '#8a6d3b', '#d35d9b', '#5f6b7a', '#b5b02b', '#23a3b3'];

function element(name, parent, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  parent.appendChild(made);
  return made;
}

function shown(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return Math.abs(value) >= 1000 ? value.toLocaleString('en', { maximumFractionDigits: 0 }) : value.toPrecision(4);
}

function canvas(parent, height) {
  const box = element('div', parent, undefined, 'chart');
  if (height) box.style.height = height + 'px';
  return element('canvas', box);
}

function axes(section, extra) {
  return {
    x: { stacked: extra.stacked, grid: { display: false }, title: { display: !!section.x_title, text: section.x_title },
         type: extra.x_type, ticks: { autoSkip: extra.skip, maxRotation: 60 } },
    y: { stacked: extra.stacked, beginAtZero: true, max: section.y_max, title: { display: true, text: section.y_title } },
  };
}

function options(section, extra) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false,
    interaction: { mode: extra.mode, intersect: false },
    scales: axes(section, extra),
    plugins: {
      legend: { position: 'top' },
      tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${shown(item.raw && item.raw.y !== undefined ? item.raw.y : item.raw)}` } },
    },
  };
}

function bars(section, parent, stacked) {
  const data = {
    labels: section.groups,
    datasets: section.series.map((series, i) => ({
      label: series.name, data: series.values, backgroundColor: palette[i % palette.length], borderWidth: 0,
    })),
  };
  new Chart(canvas(parent), { type: 'bar', data, options: options(section, { stacked, mode: 'index', skip: false, x_type: 'category' }) });
}

function lines(section, parent) {
  const data = {
    datasets: section.series.map((series, i) => ({
      label: series.name, data: section.x.map((x, k) => ({ x, y: series.values[k] })),
      borderColor: palette[i % palette.length], backgroundColor: palette[i % palette.length] + (section.stacked ? 'cc' : '22'),
      fill: !!section.stacked, borderWidth: section.stacked ? 0 : 1.5, pointRadius: 0, pointHitRadius: 8, stepped: 'after',
    })),
  };
  const set = options(section, { stacked: !!section.stacked, mode: 'index', skip: true, x_type: 'linear' });
  set.scales.x.stacked = false;
  set.scales.x.max = section.x[section.x.length - 1];
  set.scales.x.min = section.x[0];
  new Chart(canvas(parent, 300), { type: 'line', data, options: set });
}

function table(section, parent) {
  const box = element('div', parent, undefined, 'scroll');
  const made = element('table', box);
  const head = element('tr', element('thead', made));
  const body = element('tbody', made);
  const rows = section.rows.slice();
  let by = -1;
  let down = false;
  const draw = () => {
    body.replaceChildren();
    for (const row of rows) {
      const line = element('tr', body);
      row.forEach((value) => {
        const cell = element('td', line, shown(value), typeof value === 'number' ? 'number' : undefined);
        if (value === 'reproduced') cell.className = 'reproduced';
        if (value === 'same direction') cell.className = 'same';
        if (value === 'not reproduced') cell.className = 'not';
      });
    }
  };
  section.columns.forEach((name, column) => {
    const cell = element('th', head, name);
    cell.addEventListener('click', () => {
      down = by === column ? !down : false;
      by = column;
      for (const other of head.children) other.className = '';
      cell.className = down ? 'down' : 'up';
      rows.sort((a, b) => {
        const x = a[column];
        const y = b[column];
        if (x === y) return 0;
        if (x === null) return 1;  // what has no value stays last
        if (y === null) return -1;
        const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
        return down ? -order : order;
      });
      draw();
    });
  });
  draw();
}

function draw(report) {
  document.title = report.title;
  element('h1', document.body, report.title);
  if (report.subtitle) element('p', document.body, report.subtitle, 'note');
  for (const section of report.sections) {
    let parent = document.body;
    if (section.folded) {
      parent = element('details', document.body);
      element('summary', parent, section.title);
    } else {
      element('h2', parent, section.title);
    }
    if (section.note) element('p', parent, section.note, 'note');
    if (section.kind === 'bars') bars(section, parent, false);
    if (section.kind === 'stack') bars(section, parent, true);
    if (section.kind === 'lines') lines(section, parent);
    if (section.kind === 'table') table(section, parent);
    if (section.kind === 'text') element('pre', parent, section.text);
  }
}

draw(JSON.parse(document.getElementById('report').textContent));
